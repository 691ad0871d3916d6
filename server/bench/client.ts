import { createReadStream, statSync } from "node:fs";
import { Agent, type ClientRequest, request as httpRequest } from "node:http";
import { pipeline } from "node:stream/promises";

const TIMEOUT_MS = 60_000;

/** A response. */
export interface Answer {
  /** Time from before the request to the last byte of the response. */
  ms: number;
  status: number;
  bytes: number;
  /** Null if only the time was measured. */
  body: Buffer | null;
}

/** A client with one persistent connection. */
export class Client {
  readonly #agent: Agent;
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: { url: string; token: string }, localAddress?: string) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, ...(localAddress && { localAddress }) });
    this.#url = url;
    this.#token = token;
  }

  /** Sends a request and discards the response as it arrives. @returns the duration, ms */
  async time(path: string, headers: Record<string, string> = {}): Promise<number> {
    return (await this.#send("GET", path, headers, false, async (request) => void request.end())).ms;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Buffer> {
    const { body } = await this.#send("GET", path, headers, true, async (request) => void request.end());
    return body ?? Buffer.alloc(0);
  }

  /** Sends a body and reads the response. */
  async post(path: string, type: string, content: string): Promise<Answer> {
    const headers = { "Content-Type": type, "Content-Length": Buffer.byteLength(content) };
    return this.#send("POST", path, headers, true, async (request) => void request.end(content));
  }

  /** Uploads a file as the form field `file`, reading it at the pace of the connection. */
  upload(path: string, file: string): Promise<Answer> {
    const boundary = "----asi-server-bench";
    const head = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.asi"\r\n` +
        "Content-Type: application/octet-stream\r\n\r\n",
    );
    const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    const headers = {
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      "Content-Length": head.length + statSync(file).size + tail.length,
    };
    return this.#send("POST", path, headers, false, (request) =>
      pipeline(async function* () {
        yield head;
        yield* createReadStream(file, { highWaterMark: 1 << 20 });
        yield tail;
      }, request),
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    headers: Record<string, string | number>,
    keepsBody: boolean,
    write: (request: ClientRequest) => Promise<void>,
  ): Promise<Answer> {
    const begin = performance.now();
    return new Promise((resolve, reject) => {
      const request = httpRequest(this.#url + path, {
        method,
        agent: this.#agent,
        headers: { ...headers, Authorization: `Bearer ${this.#token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        const failed = ![200, 201, 204].includes(response.statusCode ?? 0);
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (keepsBody || failed) chunks.push(chunk);
        });
        response.on("error", reject);
        response.on("end", () => {
          const ms = performance.now() - begin;
          const body = keepsBody || failed ? Buffer.concat(chunks) : null;
          if (failed) reject(new Error(`${method} ${path}: ${response.statusCode} ${body}`));
          else resolve({ ms, status: response.statusCode ?? 0, bytes, body });
        });
      });
      write(request).catch(reject);
    });
  }
}
