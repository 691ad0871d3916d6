import { requireObject } from "./arguments.js";
import { AsiError } from "./errors.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { readWhole } from "./read-whole.js";
import { checkBatch, joinBatches } from "./sample-batch.js";
import { SourceReader } from "./source-reader.js";
import type { DecodeOptions, EngineName, RecordingInfo, Report, Row, SampleBatch, Source } from "./types.js";

/**
 * The rows of a recording as it is read. It can be iterated once; a second iteration throws `ALREADY_READ`. The promises are
 * fulfilled by the iteration, and rejected if it fails, stops early or is aborted. Awaiting them before the iteration has started
 * rejects with `NOT_READ` immediately. Between two steps of the iterator they stay pending; on Node.js they are rejected with
 * `NOT_READ` when the process has nothing left to do, as long as the iterator is referenced. Such a promise can be awaited again
 * and is fulfilled once the recording has been read.
 */
export interface Decoding<T> extends AsyncIterable<T> {
  /** The header. Fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** Accounts for every byte. Fulfilled at the end of the recording. */
  readonly report: Promise<Report>;
  /** The decoder that was used. Fulfilled at the end of the recording. */
  readonly engine: Promise<EngineName>;
}

/**
 * Reads a recording as columns of integers, a few thousand rows at a time. The source is read only as fast as you iterate, and
 * released when you leave the loop early.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` immediately; while iterating `NOT_A_RECORDING`, `UNSUPPORTED_VERSION`,
 * `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, with `strict` also `DAMAGED`. A recording without rows yields no batch.
 */
export function decode(source: Source, options: DecodeOptions = {}): Decoding<SampleBatch> {
  const reader = batchReader(source, options);
  const promised = promisesOfReading(
    {
      isOver: () => reader.isOver,
      // a caller that has received a batch may request the next one at any time
      isHeld: () => reader.isBegun,
      endIfAborted: () => reader.endIfAborted(),
      hearAbort: () => reader.hearAbort(),
    },
    "Iterate over the decoding (for await), then await it.",
  );
  const once = oneIteration();
  return {
    info: promised("info", reader.info),
    report: promised("report", reader.report),
    engine: promised("engine", reader.engine),
    [Symbol.asyncIterator]() {
      once();
      return iterate(reader);
    },
  };
}

/** The reading behind `decode`. */
export function batchReader(source: Source, options: DecodeOptions): SourceReader<"columns"> {
  requireObject("options", options);
  return new SourceReader(source, { ...options, output: "columns" });
}

/** All rows of a recording. */
export interface DecodedRecording {
  /** All rows in one batch; `rowsOf` iterates over them. */
  samples: SampleBatch;
  info: RecordingInfo;
  /** Accounts for every byte. */
  report: Report;
  /** The decoder that was used. */
  engine: EngineName;
}

/**
 * Reads a recording in memory synchronously: all its rows as columns of integers, 26 bytes a row.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE`, `ABORTED` if the signal has already fired, `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, with `strict` also `DAMAGED`. A recording without rows gives none.
 */
export function decodeSync(
  recording: Uint8Array | ArrayBuffer,
  options: DecodeOptions = {},
): DecodedRecording {
  const { outputs, result } = readWhole(recording, options, "columns");
  const { info, report, engine } = result;
  return { samples: joinBatches(outputs), info, report, engine };
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
    engine: batches.engine,
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
 * The rows of a batch, in SI units. The integers are divided, so each number is the double nearest to its decimal value.
 *
 * @throws AsiError `BAD_ARGUMENT` immediately if columns are invalid or shorter than `length`
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

function iterate(reader: SourceReader<"columns">): AsyncIterator<SampleBatch> {
  let last: Promise<unknown> = Promise.resolve();
  const produce = async (): Promise<IteratorResult<SampleBatch>> => {
    const value = await reader.next();
    return value === null ? { done: true, value: undefined } : { done: false, value };
  };
  return {
    next() {
      // as with a generator, calls wait for earlier ones
      const answer = last.then(produce);
      last = answer.catch(() => {});
      return answer;
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
