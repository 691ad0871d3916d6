import type { OutputKind } from "../engine/engine.js";
import type { Reading } from "../sources/promise-of-reading.js";
import type { SourceReader } from "./source-reader.js";

/** Describes the reading behind a stream. A caller that holds a reader of the stream may continue at any time. */
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
 * Creates a stream of the results of `next`, until `next` returns null. It is called only when the stream is read, once for each
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
