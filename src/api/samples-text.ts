import { shown } from "../arguments.js";
import { acquireEngine, releaseEngine } from "../engine/engines.js";
import { AsiError } from "../errors.js";
import type { RowTemplate } from "../rows/row-text/template.js";
import type { EngineName, SampleBatch } from "../types.js";

/** Text around the rows. */
interface Surroundings {
  before: Uint8Array;
  after: Uint8Array;
  /** Number of bytes omitted from the start of the first row, such as a comma between rows. */
  leftOutOfFirst?: number;
}

/**
 * Writes each sample with a template, in one piece of memory. No object is created for a sample. Most rows are much shorter than
 * the longest possible row, so the length of the text is estimated from the rows written so far.
 */
export function writeSamples(
  samples: SampleBatch,
  template: RowTemplate,
  { before, after, leftOutOfFirst = 0 }: Surroundings,
  engineName: EngineName | undefined,
): Uint8Array {
  const engine = acquireEngine(engineName);
  let text = new Uint8Array(before.length + after.length);
  text.set(before);
  let at = before.length;
  for (let next = 0; next < samples.length; ) {
    const { bytes, end } = engine.rowWriter.write(template, samples, next, samples.length);
    const rows = next === 0 ? bytes.subarray(leftOutOfFirst) : bytes;
    const needed = at + rows.length + after.length;
    if (needed > text.length) {
      const rest =
        (samples.length - end) * Math.min(template.maxRowBytes, (1.02 * bytes.length) / (end - next));
      text = withRoom(text, needed + Math.ceil(rest));
    }
    text.set(rows, at);
    at += rows.length;
    next = end;
  }
  releaseEngine(engine);
  text.set(after, at);
  return text.subarray(0, at + after.length);
}

function withRoom(text: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length);
  longer.set(text);
  return longer;
}

// the years 0 to 9999
const EARLIEST_MS = -62_167_219_200_000;
const LATEST_MS = 253_402_300_799_999;

/** Throws `BAD_ARGUMENT` unless all times can be written. */
export function requireWritableTimes({ timestampMs, length }: SampleBatch): void {
  for (let i = 0; i < length; i++) {
    const ms = timestampMs[i];
    if (ms !== undefined && ms >= EARLIEST_MS && ms <= LATEST_MS && Number.isInteger(ms)) continue;
    throw new AsiError(
      "BAD_ARGUMENT",
      `timestampMs[${i}] is ${shown(ms)}; it must be an integer, ms since 1970, in the years 0 to 9999.`,
    );
  }
}
