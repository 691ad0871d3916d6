import type { Production } from "./production.js";
import type { Reading } from "./promise-of-reading.js";

/** The reading behind a stream. A caller that holds a reader may read on at any time. */
export function readingBehind(stream: ReadableStream, production: Production<unknown>): Reading {
  return {
    isOver: () => production.isOver,
    isHeld: () => stream.locked || production.isReading,
    endIfAborted: () => production.endIfAborted(),
    hearAbort: () => production.hearAbort(),
  };
}

/**
 * A stream of what `next` gives, until it gives null. Nothing is asked for before the stream is read, and then one chunk at
 * a time.
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
