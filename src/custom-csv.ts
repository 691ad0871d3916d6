import { type CheckedLayout, COLUMNS } from "./csv-layout.js";
import { AsiError } from "./errors.js";

// Layouts of the caller's choice are written by fast-csv, from the digits of the standard CSV: the numbers are the same
// to the last digit whatever the layout.

/** Writes lines of the standard CSV, whole ones, in another layout. */
export type LineWriter = (standardLines: Uint8Array) => Promise<Uint8Array>;

/** Throws `NEEDS_NODE` where fast-csv, which is built on Node's streams, is not there. */
export async function customLineWriter(layout: CheckedLayout): Promise<LineWriter> {
  const { writeToString } = await loadFastCsv();
  const indices = layout.columns.map((column) => COLUMNS.indexOf(column));
  const options = { delimiter: layout.delimiter, rowDelimiter: layout.lineEnd, includeEndRowDelimiter: true };
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return async (standardLines) => {
    const lines = decoder.decode(standardLines).split("\n");
    lines.pop();
    const rows = lines.map((line) => {
      const fields = line.split(",");
      return indices.map((index) => fields[index]);
    });
    return encoder.encode(await writeToString(rows, options));
  };
}

/** The header line of a layout, or nothing when it has none. */
export function headerLine(layout: CheckedLayout): Uint8Array {
  const line = layout.header ? layout.columns.join(layout.delimiter) + layout.lineEnd : "";
  return new TextEncoder().encode(line);
}

/** fast-csv, loaded when it is needed: it is not on the way of the standard CSV. */
export async function loadFastCsv(): Promise<typeof import("fast-csv")> {
  const module: Partial<typeof import("fast-csv")> & { default?: Partial<typeof import("fast-csv")> } =
    await import("fast-csv");
  const library = module.writeToString === undefined ? module.default : module;
  // Bundles for the browser leave it out (field "browser" of package.json).
  if (library?.writeToString === undefined) {
    throw new AsiError(
      "NEEDS_NODE",
      "Other columns, delimiters and line ends, and reading CSV, are only there on Node.js; use decodeRows and write the lines yourself.",
    );
  }
  return library as typeof import("fast-csv");
}
