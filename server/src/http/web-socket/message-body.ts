import { Readable } from "node:stream";
import type { WebSocket } from "ws";
import { UNSUPPORTED_DATA } from "./closing.js";

/** Bytes that are buffered before the service stops reading from the connection. */
const BUFFERED_BYTES = 64 * 1024;

/**
 * Copies a short message. A message is a view of the memory of a whole read, so many short ones would hold far more memory than
 * they have bytes.
 */
const withoutRest = (data: Buffer): Buffer =>
  data.length < data.buffer.byteLength / 2 ? Buffer.from(data) : data;

/**
 * The binary messages of a client as a body. The boundaries of the messages have no meaning. An empty message ends the body,
 * because a client that closes the connection cannot receive the last line.
 */
export class MessageBody extends Readable {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#socket = socket;
    let isComplete = false;
    socket.on("message", (data: Buffer, isBinary) => {
      if (isComplete || this.destroyed) return;
      if (!isBinary) {
        this.destroy();
        socket.close(UNSUPPORTED_DATA, "Send binary messages.");
      } else if (data.length === 0) {
        isComplete = true;
        this.push(null);
      } else if (!this.push(withoutRest(data))) socket.pause();
    });
    socket.once("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }
}
