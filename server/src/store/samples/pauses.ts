import { setImmediate as nextTurn } from "node:timers/promises";

/** Work without a pause, ms: whatever else the event loop has to do waits for it. */
const LONGEST_WORK_MS = 16;

/** Lets the event loop turn from time to time during long work. */
export class Pauses {
  #since = performance.now();

  /** To be called often: pauses when there was none for a while. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_WORK_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
