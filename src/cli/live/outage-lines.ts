/** Minimum time between two lines, ms. */
const PAUSE_MS = 60_000;

/**
 * Prints lines about a lost connection to logs: one when it is lost and one when it is restored, at most one a minute. A change within that
 * minute is printed later, unless the connection changes again before that.
 */
export class OutageLines {
  readonly #print: (text: string) => void;
  readonly #nowMs: () => number;
  #isPrintedLost = false;
  #printedAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs a clock that is never set back */
  constructor(print: (text: string) => void, nowMs: () => number = () => process.uptime() * 1000) {
    this.#print = print;
    this.#nowMs = nowMs;
  }

  /** Called for each failed attempt, and often while the connection works. */
  report(isLost: boolean): void {
    const nowMs = this.#nowMs();
    if (isLost === this.#isPrintedLost || nowMs - this.#printedAtMs < PAUSE_MS) return;
    this.#isPrintedLost = isLost;
    this.#printedAtMs = nowMs;
    this.#print(isLost ? "the connection is lost; trying again." : "connected again.");
  }
}
