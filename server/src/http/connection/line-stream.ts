import { PassThrough, type Readable } from "node:stream";

/** The last line, with the reason for the end. */
export interface LastLine {
  end: string;
  [member: string]: unknown;
}

/** Lines of JSON that are sent while the client still sends bytes. */
export interface Lines {
  /** Sends a line. Skips it if the client has not read the previous lines, because the next line replaces it. */
  write(line: object): void;
  /** Sends the last line. */
  end(line: LastLine): void;
}

/** Work that receives bytes and reports its progress. */
interface Receiving {
  /** Receives the bytes of a body until its end. */
  receive(body: Readable, lines: Lines): void;
  /** Called instead of `receive` if the connection fails first. */
  cancel(): void;
}

/** Receives bytes from a client and sends lines to it, over a request and its response or over a WebSocket. */
export class LineStream {
  readonly #receiving: Receiving;
  #isStarted = false;

  constructor(receiving: Receiving) {
    this.#receiving = receiving;
  }

  /** Starts the work with the body of a request or the messages of a WebSocket. */
  start(body: Readable, lines: Lines): void {
    this.#isStarted = true;
    this.#receiving.receive(body, lines);
  }

  /** Ends the work if it has not started. */
  cancel(): void {
    if (!this.#isStarted) this.#receiving.cancel();
    this.#isStarted = true;
  }
}

/** Lines as the body of a response (https://github.com/ndjson/ndjson-spec). */
export class ResponseLines implements Lines {
  readonly body = new PassThrough();

  write(line: object): void {
    if (!this.body.writableNeedDrain && !this.body.destroyed) this.body.write(textOf(line));
  }

  end(line: LastLine): void {
    this.body.end(textOf(line));
  }
}

const textOf = (line: object) => `${JSON.stringify(line)}\n`;
