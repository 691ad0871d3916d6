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
  /** The body, or the error of the connection if there is no response. */
  body: Buffer;
  /** Whether it is the response to a second request, sent because the server had closed the connection of the first. */
  isResent?: true;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A client with a separate address, by which throttles distinguish the attackers from the bystander. */
export class Client {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly localAddress: string;

  constructor(url: string, localAddress: string) {
    this.#url = new URL(url);
    this.localAddress = localAddress;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1000, localAddress });
  }

  /**
   * Sends a request and reads the complete response. Never rejects. Sends a GET again, on a new
   * connection, if the server closes the idle connection that it was sent on, as other clients do
   * (RFC 9112 section 9.3.1).
   */
  async send(path: string, sent: Sent = {}): Promise<Answer> {
    const first = await this.#sendOn(this.#agent, path, sent);
    if (!first.isUnused) return first.answer;
    const { answer } = await this.#sendOn(false, path, sent);
    return { ...answer, isResent: true };
  }

  /** @returns the response, and whether the request was a GET on a used connection that was closed before the response */
  #sendOn(
    agent: Agent | false,
    path: string,
    { method, token, json, body, headers, timeoutMs }: Sent,
  ): Promise<{ answer: Answer; isUnused: boolean }> {
    const content = json === undefined ? body : JSON.stringify(json);
    return new Promise((resolve) => {
      const request = httpRequest(new URL(path, this.#url), {
        method: method ?? (content === undefined ? "GET" : "POST"),
        agent,
        localAddress: this.localAddress,
        signal: AbortSignal.timeout(timeoutMs ?? DEFAULT_TIMEOUT_MS),
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { "Content-Type": "application/json" }),
          ...(content === undefined ? {} : { "Content-Length": Buffer.byteLength(content) }),
          ...headers,
        },
      });
      const end = (answer: Answer, isUnused = false) => resolve({ answer, isUnused });
      const failed = ({ code, name }: NodeJS.ErrnoException): Answer => ({
        status: 0,
        body: Buffer.from(`${code ?? name} on a ${request.reusedSocket ? "used" : "new"} connection`),
      });
      request.on("error", (error: NodeJS.ErrnoException) =>
        end(failed(error), error.code === "ECONNRESET" && request.reusedSocket && request.method === "GET"),
      );
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", (error) => end(failed(error)));
        response.on("end", () => end({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
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

  /** Address of the service, without a path. */
  get url(): string {
    return this.#url.origin;
  }

  close(): void {
    this.#agent.destroy();
  }
}
