import { PassThrough } from "node:stream";

/** A response of JSON lines that is sent while the request continues (https://github.com/ndjson/ndjson-spec). */
export class LineStream {
  readonly body = new PassThrough();

  /** Writes a line, unless the client has not read the previous lines, because the next line replaces it. */
  write(line: object): void {
    if (!this.body.writableNeedDrain && !this.body.destroyed) this.body.write(textOf(line));
  }

  /** Writes the last line. */
  end(line: object): void {
    this.body.end(textOf(line));
  }
}

const textOf = (line: object) => `${JSON.stringify(line)}\n`;
