import type { Console } from "./console.js";

const SHOWN_AFTER_S = 0.5;
const REDRAWN_AFTER_S = 0.1;
const WIDTH = 30;

/** A line on a terminal for work that takes longer than half a second. It is removed at the end. */
export class ProgressLine {
  readonly #console: Console;
  readonly #text: () => string;
  // In seconds. Unlike `performance`, `process.uptime` needs no loading.
  #redrawAt = process.uptime() + SHOWN_AFTER_S;

  constructor(console: Console, text: () => string) {
    this.#console = console;
    this.#text = text;
  }

  /** Called often, because the text may have changed. */
  update(): void {
    if (process.uptime() >= this.#redrawAt) this.show();
  }

  /** Shows the line immediately, for example before a pause. */
  show(): void {
    this.#redrawAt = process.uptime() + REDRAWN_AFTER_S;
    if (this.#console.canShowTransient) this.#console.showTransient(this.#text());
  }

  end(): void {
    this.#console.showTransient("");
  }
}

/** A bar that shows the share of the inputs that has been read. */
export class Progress {
  readonly #line: ProgressLine;
  readonly #totalBytes: number;
  readonly #read = new Map<number, number>();

  /** @param totalBytes size of all inputs together; if it is 0 (unknown), the number of bytes read is shown instead */
  constructor(console: Console, totalBytes: number) {
    this.#line = new ProgressLine(console, () => this.#bar());
    this.#totalBytes = totalBytes;
  }

  /** Called often with the number of bytes that have been read from an input so far. */
  readonly report = (input: number, bytesRead: number): void => {
    this.#read.set(input, bytesRead);
    this.#line.update();
  };

  end(): void {
    this.#line.end();
  }

  #bar(): string {
    const read = [...this.#read.values()].reduce((sum, bytes) => sum + bytes, 0);
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
    if (this.#totalBytes === 0) return `${megabytes(read)} MB`;
    const share = Math.min(1, read / this.#totalBytes);
    const filled = Math.round(share * WIDTH);
    const bar = "#".repeat(filled) + "-".repeat(WIDTH - filled);
    return `[${bar}] ${Math.floor(share * 100)}%  ${megabytes(read)} of ${megabytes(this.#totalBytes)} MB`;
  }
}
