import { readEvents, type StreamedEvent } from "./read-events.js";

/** The service sends at least one comment every 15 s. */
const SILENCE_MS = 40_000;
export const RECONNECT_MS = 3_000;

/**
 * Receives the events of a connection. The connection ends if nothing arrives for a while.
 *
 * @param connect opens the stream; null if there is none
 * @param onHeard called for all received data
 * @throws errors of `connect` and of the stream
 */
export async function* receiveEvents(
  connect: (signal: AbortSignal) => Promise<unknown>,
  stopped: AbortSignal,
  onHeard: () => void = () => {},
): AsyncGenerator<StreamedEvent> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  const heard = () => {
    onHeard();
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  try {
    const stream = await connect(AbortSignal.any([stopped, silent.signal]));
    if (stream instanceof ReadableStream) yield* readEvents(stream, heard);
  } finally {
    clearTimeout(timer);
  }
}

/** @returns the reason why the service has ended the connection, from the data of the event `end` */
export const endReason = (data: string): string => (JSON.parse(data) as { reason: string }).reason;

/** Resolves after a delay, or when the signal is aborted. */
export const pause = (ms: number, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
