/** A client of the WebSockets of the service. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientOptions, WebSocket } from "ws";
import { stopAfterTest } from "./cleanup.js";

/** The response to a refused handshake. */
export interface Refusal {
  status: number | undefined;
  code: string | undefined;
}

/** An open connection. */
export class SocketClient {
  readonly socket: WebSocket;
  /** Resolves to the close code when the connection has closed; 1006 without a close message. */
  readonly closed: Promise<number>;
  readonly #texts: string[] = [];
  #wake = () => {};
  #isClosed = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.#texts.push(String(data));
      this.#wake();
    });
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once("close", (code) => {
        this.#isClosed = true;
        this.#wake();
        resolve(code);
      });
    });
    stopAfterTest(async () => socket.terminate());
  }

  /**
   * Opens a connection.
   * @param url address with `http:`
   * @throws Refusal
   */
  static async open(url: string, options: ClientOptions = {}): Promise<SocketClient> {
    const socket = new WebSocket(url.replace(/^http/, "ws"), options);
    // Create this before the handshake ends, because messages may arrive together with its response.
    const client = new SocketClient(socket);
    const refused = once(socket, "unexpected-response").then(async ([, response]) => {
      throw await refusalOf(response as IncomingMessage);
    });
    refused.catch(() => undefined);
    await Promise.race([once(socket, "open"), refused]);
    return client;
  }

  /** Opens a connection that the service must refuse. @returns the refusal */
  static refusal(url: string, options: ClientOptions = {}): Promise<Refusal> {
    return SocketClient.open(url, options).then(
      () => Promise.reject(new Error("The connection was accepted")),
      (error: unknown) => {
        if (error instanceof Error) throw error;
        return error as Refusal;
      },
    );
  }

  /** Returns the next message, or null when the connection has closed. */
  async next<Message>(): Promise<Message | null> {
    for (;;) {
      const text = this.#texts.shift();
      if (text !== undefined) return JSON.parse(text);
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function refusalOf(response: IncomingMessage): Promise<Refusal> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, code: text === "" ? undefined : JSON.parse(text).code };
}
