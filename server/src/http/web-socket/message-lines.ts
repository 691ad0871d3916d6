import type { WebSocket } from "ws";
import type { LastLine, Lines } from "../connection/line-stream.js";
import { closeFor } from "./closing.js";

/** Lines as text messages. */
export class MessageLines implements Lines {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  write(line: object): void {
    // A client that does not read gets the next line later.
    if (this.#socket.bufferedAmount === 0) this.#send(line);
  }

  end(line: LastLine): void {
    this.#send(line);
    closeFor(this.#socket, line.end);
  }

  #send(line: object): void {
    // Without a callback, sending to a client that has disconnected would throw.
    this.#socket.send(JSON.stringify(line), () => undefined);
  }
}
