/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import { Readable } from "node:stream";
import { outsideOfSpans } from "../../observability/tracing.js";

/** How long a client waits before reconnecting, ms. */
const RECONNECT_MS = 3_000;

export interface ServerEvent {
  event: string;
  id?: string;
  /** One line, as JSON is. */
  data: string;
}

const textOf = ({ event, id, data }: ServerEvent) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;

/** A response of server-sent events. */
export class EventStream {
  readonly body: Readable;

  /**
   * @param events null for a moment without an event, at least every `heartbeatMs`
   * @param heartbeatMs after which time without an event a comment is sent, so that nothing on the way thinks the connection dead
   */
  constructor(events: AsyncIterable<ServerEvent | null>, heartbeatMs: number) {
    this.body = Readable.from(text(events, heartbeatMs), { objectMode: false });
  }
}

async function* text(events: AsyncIterable<ServerEvent | null>, heartbeatMs: number): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MS}\n\n`;
  let sentMs = performance.now();
  for await (const event of pulledOutsideOfSpans(events)) {
    if (event === null && performance.now() - sentMs < heartbeatMs) continue;
    sentMs = performance.now();
    yield event === null ? ": still here\n\n" : textOf(event);
  }
}

/** Polling as long as the connection lasts is not part of the trace of the request. */
async function* pulledOutsideOfSpans<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await outsideOfSpans(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The last event that a client has got, when it connects again; undefined for a client that has none, or no number. */
export function lastEventId(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): number | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
