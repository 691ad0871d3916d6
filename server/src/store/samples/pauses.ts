import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum time without a pause, ms. Other events wait at most this long. */
const LONGEST_WORK_MS = 16;

/** Lets the event loop handle other events during long work. */
export class Pauses {
  #since = performance.now();

  /** Pauses if the last pause was long enough ago. Call it often. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_WORK_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
