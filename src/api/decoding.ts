import type { OutputKind } from "../engine/engine.js";
import { AsiError } from "../errors.js";
import type { Outputs } from "../reading/reader-options.js";
import type { SourceReader } from "../reading/source-reader.js";
import { promisesOfReading } from "../sources/promise-of-reading.js";
import type { EngineName, RecordingInfo, Report } from "../types.js";

/**
 * The content of a recording, as it is read. It can be iterated once; a second iteration throws `ALREADY_READ`. The promises are
 * fulfilled by the iteration, and rejected if it fails, stops early or is aborted. Awaiting them before the iteration has started
 * rejects with `NOT_READ` immediately; such a promise can be awaited again and is fulfilled once the recording has been read.
 * Between two steps of the iterator they stay pending.
 */
export interface Decoding<T> extends AsyncIterable<T> {
  /** The header. Fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** Accounts for every byte. Fulfilled at the end of the recording. */
  readonly report: Promise<Report>;
  /** The decoder that was used. Fulfilled at the end of the recording. */
  readonly engine: Promise<EngineName>;
}

/** A decoding with the outputs of a reader. */
export function decodingOf<K extends OutputKind>(reader: SourceReader<K>): Decoding<Outputs[K]> {
  const promised = promisesOfReading(
    {
      isOver: () => reader.isOver,
      // a caller that has received a batch may request the next one at any time
      isHeld: () => reader.isBegun,
      endIfAborted: () => reader.endIfAborted(),
      listenForAbort: () => reader.listenForAbort(),
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

/** A decoding with items that are derived from the items of `decoding`. */
export function mapDecoding<T, U>(
  decoding: Decoding<T>,
  items: (decoding: AsyncIterable<T>) => AsyncIterator<U>,
): Decoding<U> {
  const once = oneIteration();
  return {
    info: decoding.info,
    report: decoding.report,
    engine: decoding.engine,
    [Symbol.asyncIterator]() {
      once();
      return items(decoding);
    },
  };
}

// A second iteration would find nothing, and look like a recording without rows.
function oneIteration(): () => void {
  let isBegun = false;
  return () => {
    if (isBegun) {
      throw new AsiError(
        "ALREADY_READ",
        "The recording is already read; decode it again, or keep the rows in an array.",
      );
    }
    isBegun = true;
  };
}

function iterate<K extends OutputKind>(reader: SourceReader<K>): AsyncIterator<Outputs[K]> {
  let last: Promise<unknown> = Promise.resolve();
  const produce = async (): Promise<IteratorResult<Outputs[K]>> => {
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
