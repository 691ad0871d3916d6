import { basename, resolve } from "node:path";
import { csvInFile } from "../../squad-report/cell-files.js";
import type { Context } from "../batch/batch.js";
import { isStandardOutput, streamOf, writeOutput } from "../batch/output.js";
import type { SquadFlags } from "./squad-options.js";

/** Returns the name of the folder if the argument is a single folder. */
export function titleOf(args: readonly string[], otherwise = "Session"): string {
  const [first = ""] = args;
  return args.length === 1 && first !== "-" ? basename(resolve(first)) : otherwise;
}

/** Writes to the file of `-o`, or to the standard output. A file with decimal commas is assumed to be for Excel. */
export async function writeContent(
  content: string | Uint8Array,
  { output, force, decimal }: Pick<SquadFlags, "output" | "force" | "decimal">,
  { console, signal }: Context,
): Promise<void> {
  if (typeof content === "string" && (output === undefined || isStandardOutput(output))) {
    return console.data(content);
  }
  const bytes = typeof content === "string" ? new TextEncoder().encode(csvInFile(content, decimal)) : content;
  const file = await writeOutput(streamOf(bytes), output ?? "-", { force, signal });
  if (file !== null) console.message(`${file.bytes} bytes -> ${file.path}`);
}
