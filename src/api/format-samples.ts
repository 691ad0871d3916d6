import { optionNames, requireObject, requireOptions } from "../arguments.js";
import { acquireEngine, prepareEngine, releaseEngine } from "../engine/engines.js";
import { formatNamed } from "../formats/catalogue.js";
import type { FormatName, FormatOptions } from "../formats/format.js";
import { MAX_GAP_MS } from "../metrics/segments.js";
import type { RowWriter } from "../rows/row-text/row-writer.js";
import { checkBatch } from "../rows/sample-batch.js";
import { type Allocate, copies } from "../sources/copies.js";
import type { RecordingInfo, SampleBatch } from "../types.js";
import { checkNumbers } from "./convert.js";
import { requireWritableTimes } from "./samples-text.js";

export interface FormatSamplesOptions extends FormatOptions {
  format: FormatName;
  /** The device, as `decode` returns it. It is written only in formats that include the device. */
  info: RecordingInfo;
  /**
   * Returns memory of at least `length` bytes, which are at most 64 KiB, with any content. Default: new memory. A piece of the
   * output changes when its memory is returned again.
   */
  allocate?: Allocate | undefined;
}

const OPTIONS = optionNames<FormatSamplesOptions>({
  format: true,
  info: true,
  numbers: true,
  allocate: true,
});

/**
 * Writes samples in a format, as `convert` writes a recording in the default layout. Heart rates are not repeated. Formats whose
 * beginning depends on the end (`fit`, and the laps of `tcx` and `geojson`) keep rows in memory; the others need little memory.
 *
 * @param samples batches of samples, such as those of `decode`; not modified during the call
 * @returns the pieces of the file, each in separate memory, unless `allocate` returns the same memory again. Without samples, the
 * file contains only what the format requires
 * @throws AsiError `BAD_OPTION`; `BAD_ARGUMENT` for invalid samples; any error of `samples`
 */
export async function* formatSamples(
  samples: Iterable<SampleBatch> | AsyncIterable<SampleBatch>,
  options: FormatSamplesOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  requireOptions(options, OPTIONS);
  requireObject("info", options.info);
  const { allocate } = options;
  const format = formatNamed(options.format);
  checkNumbers(options.numbers, format);
  await prepareEngine(undefined);
  const open = await format.load(options);
  const writer = open({ info: options.info, rowWriter: sharedRowWriter });
  let lastMs = Number.NaN;
  for await (const batch of samples) {
    checkBatch(batch);
    requireWritableTimes(batch);
    for (const { from, to, isNew } of partsByRange(batch, lastMs)) {
      if (isNew) yield* copies(writer.startRange?.(), allocate);
      yield* copies(writer.rows(batch, from, to), allocate);
    }
    lastMs = batch.timestampMs[batch.length - 1] ?? lastMs;
  }
  yield* copies(writer.end(null), allocate);
}

/** Uses any idle engine for each call. No engine is reserved while the caller reads the pieces. */
export const sharedRowWriter: RowWriter = {
  write(template, batch, from, to) {
    const engine = acquireEngine(undefined);
    try {
      // valid until the next step of the engine, which runs after the bytes have been copied
      return engine.rowWriter.write(template, batch, from, to);
    } finally {
      releaseEngine(engine);
    }
  },
};

/** Splits a batch where a time differs from the previous one by more than `MAX_GAP_MS`. `lastMs` is the time before the
 * batch, or NaN for the first batch. */
function* partsByRange({ timestampMs, length }: SampleBatch, lastMs: number) {
  let from = 0;
  let isNew = Number.isNaN(lastMs);
  let previousMs = lastMs;
  for (let i = 0; i < length; i++) {
    const ms = timestampMs[i] ?? Number.NaN;
    if (Math.abs(ms - previousMs) > MAX_GAP_MS) {
      if (i > from) yield { from, to: i, isNew };
      from = i;
      isNew = true;
    }
    previousMs = ms;
  }
  if (length > from) yield { from, to: length, isNew };
}
