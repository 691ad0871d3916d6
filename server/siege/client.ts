import { Agent, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";

export interface Sent {
  method?: string;
  token?: string;
  json?: unknown;
  body?: string | Uint8Array;
  headers?: Record<string, string | number>;
  /** Timeout after which it disconnects. */
  timeoutMs?: number;
}

export interface Answer {
  /** 0 without a response: the connection was refused or closed, or the client timed out. */
  status: number;
  body: Buffer;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A client with a separate address, so that throttles distinguish attackers and bystander. */
export class Client {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly localAddress: string;

  constructor(url: string, localAddress: string) {
    this.#url = new URL(url);
    this.localAddress = localAddress;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1000, localAddress });
  }

  /** Sends a request and reads the complete response. Never rejects. */
  send(path: string, { method, token, json, body, headers, timeoutMs }: Sent = {}): Promise<Answer> {
    const content = json === undefined ? body : JSON.stringify(json);
    return new Promise((resolve) => {
      const none = () => resolve({ status: 0, body: Buffer.alloc(0) });
      const request = httpRequest(new URL(path, this.#url), {
        method: method ?? (content === undefined ? "GET" : "POST"),
        agent: this.#agent,
        signal: AbortSignal.timeout(timeoutMs ?? DEFAULT_TIMEOUT_MS),
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { "Content-Type": "application/json" }),
          ...(content === undefined ? {} : { "Content-Length": Buffer.byteLength(content) }),
          ...headers,
        },
      });
      request.on("error", none);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", none);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      request.end(content);
    });
  }

  /** @returns the body, typed by the document @throws Error if the response has another status */
  async expect<Body = unknown>(status: number, path: string, sent: Sent = {}): Promise<Body> {
    const answer = await this.send(path, sent);
    if (answer.status !== status) {
      throw new Error(`${sent.method ?? ""} ${path}: ${answer.status} instead of ${status}: ${answer.body}`);
    }
    return (answer.body.length === 0 ? undefined : JSON.parse(answer.body.toString())) as Body;
  }

  /** Sends a form, as for the token endpoint. */
  form(path: string, fields: Record<string, string>): Promise<Answer> {
    return this.send(path, {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
  }

  /** Opens a raw connection. */
  connect(): Socket {
    const socket = connect({
      host: this.#url.hostname,
      port: Number(this.#url.port),
      localAddress: this.localAddress,
    });
    socket.on("error", () => undefined);
    return socket;
  }

  close(): void {
    this.#agent.destroy();
  }
}
