import type { OutputKind } from "../engine/engine.js";
import type { Reading } from "../sources/promise-of-reading.js";
import type { SourceReader } from "./source-reader.js";

/** The source of a stream. A caller that holds a reader may continue at any time. */
export function readingBehind(
  stream: ReadableStream,
  reader: Pick<SourceReader<OutputKind>, "isOver" | "isReading" | "endIfAborted" | "listenForAbort">,
): Reading {
  return {
    isOver: () => reader.isOver,
    isHeld: () => stream.locked || reader.isReading,
    endIfAborted: () => reader.endIfAborted(),
    listenForAbort: () => reader.listenForAbort(),
  };
}

/**
 * Returns a stream of the results of `next`, until it returns null. `next` is called only when the stream is read, once for each
 * chunk.
 */
export function pulledStream<T>(
  next: () => Promise<T | null>,
  cancel: (reason: unknown) => Promise<void>,
): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
