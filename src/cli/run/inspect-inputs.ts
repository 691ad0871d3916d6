import { checkDecodeOptions } from "../../reading/decode-options.js";
import type { Inspection } from "../../reading/read-result.js";
import type { ChunkSource } from "../../sources/source.js";
import type { DecodeOptions, HrSource } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, type Input, openInput } from "../batch/inputs.js";
import { type ExitStatus, statusOf } from "../terminal/exit-status.js";

/** Options of commands that only inspect recordings. */
export interface InspectFlags {
  serial?: string;
  tz?: string;
  hr?: HrSource;
  json?: boolean;
}

/** The functions that inspect an input and format the result. */
export interface Presentation<T extends Inspection> {
  inspect(source: ChunkSource, options: DecodeOptions): Promise<T>;
  text(inspection: T, input: Input, isOnly: boolean): string;
  toJson(inspection: T): object;
}

/** Inspects each input and prints the result of `text`, or of `toJson` with `--json`. */
export function inspectInputs<T extends Inspection>(
  args: string[],
  flags: InspectFlags,
  context: Context,
  present: Presentation<T>,
): Promise<ExitStatus> {
  checkDecodeOptions(flags);
  const inputs = findInputs(args, flags);
  return runBatch<T>(context, {
    inputs,
    json: flags.json === true,
    work: (input, _, onProgress) =>
      present.inspect(openInput(input, onProgress), {
        serial: flags.serial,
        hr: flags.hr,
        signal: context.signal,
      }),
    show: (inspection, input) => context.console.data(present.text(inspection, input, inputs.length === 1)),
    toJson: present.toJson,
    statusOf: ({ report }) => statusOf(report),
  });
}
