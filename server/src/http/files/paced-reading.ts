import { finished, type Readable } from "node:stream";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";

/** Maximum size of a piece. Even hostile input of this size is converted in a few milliseconds. */
const PIECE_BYTES = 64 * 1024;

/**
 * Time for which the conversions of all uploads together may block the event loop in one iteration, in addition to one
 * piece of each.
 */
const MAX_HOLD_MS = 5;

/** Time when the conversions started in this iteration of the event loop; null before. */
let busySinceMs: number | null = null;

/** Whether other events have waited long enough. */
function isTurnDue(): boolean {
  if (busySinceMs === null) {
    busySinceMs = performance.now();
    setImmediate(() => {
      busySinceMs = null;
    });
    return false;
  }
  return performance.now() - busySinceMs >= MAX_HOLD_MS;
}

/**
 * Yields to the event loop after it has been blocked for a while, because the parser emits all its buffered data at once, which
 * would delay other requests.
 */
export async function* inPieces(recording: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  for await (const bytes of recording) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      // Waiting conversions continue in the next iteration. Each converts at least one piece, so none is starved.
      if (isTurnDue()) await nextEventLoopTurn();
      yield bytes.subarray(at, at + PIECE_BYTES);
    }
  }
}

/**
 * Passes on the pieces as the connection delivers them, at most 64 KiB each, without a copy or a promise per piece. Yields to the
 * event loop like `inPieces`.
 * @param take called with each piece; the next piece waits for the returned promise, if any
 * @param asBroken converts the error of an aborted stream
 */
export function readPaced(
  recording: Readable,
  take: (piece: Buffer) => void | Promise<void>,
  asBroken: (error: Error) => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let taken: void | Promise<void>;
    const stop = (error: unknown) => {
      reject(error);
      // Ignore later pieces and errors.
      recording.off("data", onData).destroy();
    };
    const onData = (piece: Buffer) => {
      try {
        // Measure the time from before the first piece.
        isTurnDue();
        taken = take(piece);
        if (taken === undefined && !isTurnDue()) return;
        recording.pause();
        Promise.resolve(taken)
          .then(() => nextEventLoopTurn())
          .then(() => recording.resume(), stop);
      } catch (error) {
        stop(error);
      }
    };
    finished(recording, { writable: false }, (error) => {
      // The last piece may still be on its way to the disk.
      Promise.resolve(taken).then(() => (error ? reject(asBroken(error)) : resolve()), reject);
    });
    recording.on("data", onData);
  });
}
