import { optionNames, requireBooleans, requireOptions } from "../arguments.js";
import { checkEngine } from "../reading/decode-options.js";
import { COLUMNS } from "../rows/csv-layout.js";
import { rowTemplate } from "../rows/row-text/template.js";
import { checkBatch } from "../rows/sample-batch.js";
import type { EngineName, SampleBatch } from "../types.js";
import { requireWritableTimes, writeSamples } from "./samples-text.js";

export interface SamplesToCsvOptions {
  /** Whether the text starts with a line of column names; default true. */
  header?: boolean | undefined;
  /** The engine to use; default the fastest one available. All engines write the same bytes. */
  engine?: EngineName | undefined;
}

const OPTIONS = optionNames<SamplesToCsvOptions>({ header: true, engine: true });

/**
 * Converts samples, as returned by `decode`, to the standard CSV of docs/recording-format.md, as `convert` writes it:
 * `1000000000.050,47.3700001,8.5500000,408.123,3.050,142`. To write a file in pieces, pass `header: false` for all pieces
 * except the first.
 *
 * @param samples times must be integers in the years 0 to 9999
 * @returns UTF-8; every line ends with a line feed
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, columns shorter than `length` and invalid times; `BAD_OPTION`, including for an
 * engine that is not available
 */
export function samplesToCsv(samples: SampleBatch, options: SamplesToCsvOptions = {}): Uint8Array {
  requireOptions(options, OPTIONS);
  requireBooleans(options, ["header"]);
  const { header = true, engine } = options;
  checkEngine(engine);
  checkBatch(samples);
  requireWritableTimes(samples);
  return writeSamples(samples, ROW, { before: header ? HEADER : NOTHING, after: NOTHING }, engine);
}

const NOTHING = new Uint8Array(0);
const HEADER = new TextEncoder().encode(`${COLUMNS.join()}\n`);
const ROW = rowTemplate([
  { field: "seconds" },
  ",",
  { field: "latitude" },
  ",",
  { field: "longitude" },
  ",",
  { where: "altitude", given: [{ field: "altitude" }] },
  ",",
  { field: "speed" },
  ",",
  { where: "hr", given: [{ field: "hr" }] },
  "\n",
]);

export { withoutFormula } from "../rows/csv-text.js";
export { type DecodeCsvOptions, decodeCsv } from "./decode-csv.js";
