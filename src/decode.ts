import type { Decoder } from "./decoder.js";
import { AsiError } from "./errors.js";
import { Production } from "./production.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { checkBatch } from "./sample-batch.js";
import type { DecodeOptions, RecordingInfo, Report, Row, SampleBatch, Source } from "./types.js";

/**
 * What a recording holds, as it is read. Can be iterated once: another time throws `ALREADY_READ`. The promises are
 * fulfilled by iterating, and rejected when that fails, is left early or aborted. Awaited before the iterator was advanced they
 * are rejected with `NOT_READ` at once. Between two steps of an iterator they stay pending; on Node.js they are rejected with
 * `NOT_READ` when the process has nothing left to do, as long as the iterator is referenced. Such a promise can be awaited
 * again and is fulfilled by reading.
 */
export interface Decoding<T> extends AsyncIterable<T> {
  /** The header: fulfilled when it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** Where every byte went: fulfilled when all has been read. */
  readonly report: Promise<Report>;
}

/**
 * Reads a recording as columns of integers, a few thousand rows at a time. Reads no faster than you iterate; leaving the
 * loop early lets the source go.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` at once; while iterating `NOT_A_RECORDING`, `UNSUPPORTED_VERSION`,
 * `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, with `strict` also `DAMAGED`. A recording without rows gives no batch.
 */
export function decode(source: Source, options: DecodeOptions = {}): Decoding<SampleBatch> {
  const production = batchProduction(source, options);
  const promised = promisesOfReading(
    {
      isOver: () => production.isOver,
      // a caller who has taken a batch may ask for the next at any time
      isHeld: () => production.isBegun,
      endIfAborted: () => production.endIfAborted(),
      hearAbort: () => production.hearAbort(),
    },
    "Iterate over the decoding (for await), then await it.",
  );
  const once = oneIteration();
  return {
    info: promised("info", production.info),
    report: promised("report", production.report),
    [Symbol.asyncIterator]() {
      once();
      return iterate(production);
    },
  };
}

/** The reading behind `decode`. */
export function batchProduction(source: Source, options: DecodeOptions): Production<SampleBatch> {
  return new Production(source, "columns", options, takeBatch);
}

// A second iteration would find nothing, and look like a recording without rows.
function oneIteration(): () => void {
  let isBegun = false;
  return () => {
    if (isBegun) {
      throw new AsiError(
        "ALREADY_READ",
        "The recording has been iterated over already; decode it again, or keep the rows in an array.",
      );
    }
    isBegun = true;
  };
}

/** Reads a recording row by row, in SI units. Otherwise as `decode`. */
export function decodeRows(source: Source, options: DecodeOptions = {}): Decoding<Row> {
  const batches = decode(source, options);
  const once = oneIteration();
  return {
    info: batches.info,
    report: batches.report,
    [Symbol.asyncIterator]() {
      once();
      return rowsOfAll(batches);
    },
  };
}

async function* rowsOfAll(batches: AsyncIterable<SampleBatch>): AsyncGenerator<Row, void, undefined> {
  for await (const batch of batches) yield* rowsOf(batch);
}

/**
 * The rows of a batch, in SI units: the integers divided, so that each number is the double nearest to the decimal.
 *
 * @throws AsiError `BAD_ARGUMENT` at once for columns that are none, or shorter than `length`
 */
export function rowsOf(batch: SampleBatch): Generator<Row, void, undefined> {
  checkBatch(batch);
  return generateRows(batch);
}

function* generateRows(batch: SampleBatch): Generator<Row, void, undefined> {
  const { timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType } = batch;
  for (let i = 0; i < batch.length; i++) {
    yield {
      timestamp: timestampMs[i] as number,
      latitude: (latitudeE7[i] as number) / 1e7,
      longitude: (longitudeE7[i] as number) / 1e7,
      altitude: fixType[i] === 2 ? null : (altitudeMm[i] as number) / 1e3,
      speed: (speedMmPerS[i] as number) / 1e3,
      hr: hr[i] === 0 ? null : (hr[i] as number),
    };
  }
}

/** The columns of the last step, copied out of the engine; null when it gave no row. */
function takeBatch(decoder: Decoder): SampleBatch | null {
  const view = decoder.engine.columns();
  const { length } = view;
  if (length === 0) return null;
  // One buffer for all columns: allocating it is what a small batch costs. Widest first, so that each is aligned.
  const buffer = new ArrayBuffer(BYTES_PER_ROW * length);
  const batch: SampleBatch = {
    length,
    timestampMs: new Float64Array(buffer, 0, length),
    latitudeE7: new Int32Array(buffer, 8 * length, length),
    longitudeE7: new Int32Array(buffer, 12 * length, length),
    altitudeMm: new Int32Array(buffer, 16 * length, length),
    speedMmPerS: new Int32Array(buffer, 20 * length, length),
    hr: new Uint8Array(buffer, 24 * length, length),
    fixType: new Uint8Array(buffer, 25 * length, length),
  };
  batch.timestampMs.set(view.timestampMs);
  batch.latitudeE7.set(view.latitudeE7);
  batch.longitudeE7.set(view.longitudeE7);
  batch.altitudeMm.set(view.altitudeMm);
  batch.speedMmPerS.set(view.speedMmPerS);
  batch.hr.set(view.hr);
  batch.fixType.set(view.fixType);
  return batch;
}

// f64, four i32, two u8
const BYTES_PER_ROW = 26;

function iterate<T>(production: Production<T>): AsyncIterator<T> {
  let last: Promise<unknown> = Promise.resolve();
  const produce = async (): Promise<IteratorResult<T>> => {
    const value = await production.next();
    return value === null ? { done: true, value: undefined } : { done: false, value };
  };
  return {
    next() {
      // as with a generator, calls wait for those before them
      const answer = last.then(produce);
      last = answer.catch(() => {});
      return answer;
    },
    async return() {
      await production.cancel();
      return { done: true, value: undefined };
    },
  };
}
