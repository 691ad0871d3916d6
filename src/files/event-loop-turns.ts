const LONGEST_S = 0.008;

/** Work that does not wait for anything lets the event loop have its turn this often: signals, timers, other work. */
export class EventLoopTurns {
  // a clock that costs nothing to load, unlike `performance`
  #last = process.uptime();

  get isDue(): boolean {
    return process.uptime() - this.#last > LONGEST_S;
  }

  take(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#last = process.uptime();
        resolve();
      });
    });
  }
}
