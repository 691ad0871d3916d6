import type { OutputKind } from "../engine/engine.js";
import { AsiError } from "../errors.js";
import type { Outputs } from "../reading/reader-options.js";
import type { SourceReader } from "../reading/source-reader.js";
import { promisesOfReading } from "../sources/promise-of-reading.js";
import type { EngineName, RecordingInfo, Report } from "../types.js";

/**
 * The content of a recording, read during an iteration. It can be iterated once; a second iteration throws `ALREADY_READ`. The
 * promises are fulfilled by the iteration, and rejected if it fails, stops early or is aborted. Before the iteration starts,
 * awaiting a promise rejects with `NOT_READ` immediately. The promise can be awaited again later, and is fulfilled when the
 * recording has been read. Between two steps of the iterator, the promises stay pending.
 */
export interface Decoding<T> extends AsyncIterable<T> {
  /** The header. Fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** The report, which accounts for every byte. Fulfilled at the end of the recording. */
  readonly report: Promise<Report>;
  /** The decoder that was used. Fulfilled at the end of the recording. */
  readonly engine: Promise<EngineName>;
}

/** Creates a decoding that yields the outputs of a reader. */
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

/** Creates a decoding whose items are derived from the items of `decoding`. */
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

// Returns a function that throws on its second call. Without it, a second iteration would yield nothing, like a recording without
// rows.
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
      // as in a generator, a call waits for earlier ones
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
