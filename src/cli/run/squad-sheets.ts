import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { MAX_SHEET_BYTES } from "../../squad/known-columns.js";
import type { SheetProblem } from "../../squad/sheets.js";
import type { Context } from "../batch/batch.js";

/** Returns the path of a file beside the recordings if the argument is a single folder that contains the file. */
export function besideRecordings(args: readonly string[], name: string): string | null {
  const [folder] = args;
  return folder === undefined || args.length > 1 || folder === "-" ? null : inFolder(folder, name);
}

/** Returns the path of a file in a folder; null if the file does not exist. */
export function inFolder(folder: string, name: string): string | null {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const path = join(folder, name);
  return existsSync(path) ? path : null;
}

/** Reads a table up to one byte beyond the limit, so that larger files are refused later. Throws system errors. */
export function sheetBytes(path: string): Uint8Array {
  const bytes = new Uint8Array(MAX_SHEET_BYTES + 1);
  const file = openSync(path, "r");
  try {
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.slice(0, length);
  } finally {
    closeSync(file);
  }
}

/** Reads a file of the user. Throws system errors. */
export function readSheetFile<T extends { problems: readonly SheetProblem[] }>(
  path: string,
  read: (bytes: Uint8Array) => T,
): T & { lines: string[] } {
  const result = read(sheetBytes(path));
  return {
    ...result,
    lines: result.problems.map(({ line, message }) => `${path}, line ${line}: ${message}`),
  };
}

/** Prints the problems of a file. @returns whether there are any */
export function tellProblems(lines: readonly string[], { console }: Context): boolean {
  for (const line of lines) console.failure(console.paint("red", "asi:"), ` ${line}`);
  return lines.length > 0;
}
