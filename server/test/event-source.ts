/** A client of server-sent events, similar to a browser. */
import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export interface ReceivedEvent {
  event: string;
  id: string | undefined;
  data: unknown;
}

/** An open connection. */
export class EventClient {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Comments received so far. */
  readonly comments: string[] = [];
  /** Reconnection delay sent to the client, ms. */
  retryMs: number | undefined;
  readonly #response: IncomingMessage;
  readonly #blocks: AsyncGenerator<string>;

  private constructor(response: IncomingMessage) {
    this.status = response.statusCode;
    this.headers = response.headers;
    this.#response = response;
    this.#blocks = blocksOf(response);
  }

  /** @param headers request headers, including the token or the cookie */
  static async open(url: string, headers: Record<string, string>): Promise<EventClient> {
    // Do not use `fetch`, which opens an unused connection after an abort.
    const [response] = (await once(request(url, { headers, agent: false }).end(), "response")) as [
      IncomingMessage,
    ];
    return new EventClient(response);
  }

  /** Returns the next event, or null when the service has ended the response. */
  async next(): Promise<ReceivedEvent | null> {
    for (;;) {
      const { value: block, done } = await this.#blocks.next();
      if (done) return null;
      const fields = new Map<string, string>();
      for (const line of block.split("\n")) {
        const [, name = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
        if (name === "") this.comments.push(value);
        else fields.set(name, value);
      }
      if (fields.has("retry")) this.retryMs = Number(fields.get("retry"));
      const data = fields.get("data");
      if (data === undefined) continue;
      return { event: fields.get("event") ?? "message", id: fields.get("id"), data: JSON.parse(data) };
    }
  }

  /** Reads until the service ends the response. @returns the reason in the last event */
  async end(): Promise<string | undefined> {
    let reason: string | undefined;
    for (let event = await this.next(); event !== null; event = await this.next()) reason = reasonOf(event);
    return reason;
  }

  leave(): void {
    this.#response.destroy();
  }
}

const reasonOf = ({ data }: ReceivedEvent) =>
  typeof data === "object" && data !== null && "reason" in data ? String(data.reason) : undefined;

async function* blocksOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const blocks = `${rest}${chunk}`.split("\n\n");
    rest = blocks.pop() ?? "";
    yield* blocks;
  }
}
