/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import { Readable } from "node:stream";
import { outsideOfSpans } from "../../observability/tracing.js";

/** Reconnection delay of clients, ms. */
const RECONNECT_MS = 3_000;

export interface ServerEvent {
  event: string;
  id?: string;
  /** Text of one line, such as JSON. */
  data: string;
  /** Reason for the end of the connection, only in the last event. */
  end?: string;
}

const textOf = ({ event, id, data }: ServerEvent) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;

/** Events of a connection, which are sent as server-sent events or as WebSocket messages. */
export class EventStream {
  /** Can be read only once. Null represents an interval without an event. */
  readonly events: AsyncIterable<ServerEvent | null>;
  readonly #heartbeatMs: number;

  /**
   * @param events null for a time without an event, at least every `heartbeatMs`
   * @param heartbeatMs time without an event after which a comment is sent, to keep the connection open in proxies
   */
  constructor(events: AsyncIterable<ServerEvent | null>, heartbeatMs: number) {
    this.events = pulledOutsideOfSpans(events);
    this.#heartbeatMs = heartbeatMs;
  }

  /** Returns the body of a response with server-sent events. */
  toBody(): Readable {
    return Readable.from(text(this.events, this.#heartbeatMs), { objectMode: false });
  }
}

async function* text(events: AsyncIterable<ServerEvent | null>, heartbeatMs: number): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MS}\n\n`;
  let sentMs = performance.now();
  for await (const event of events) {
    if (event === null && performance.now() - sentMs < heartbeatMs) continue;
    sentMs = performance.now();
    yield event === null ? ": still here\n\n" : textOf(event);
  }
}

/** Yields the items. The polling for them is not part of the trace of the request. */
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

/** Returns the id of the last event received by a reconnecting client; undefined if there is none. */
export function lastEventId(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" ? id : undefined;
}
