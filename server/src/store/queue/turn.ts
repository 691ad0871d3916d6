/** Time after which a long job lets other jobs run, ms. */
const TURN_MS = 2_000;

/** Thrown by a job that has saved its progress and continues in its next turn. */
export class TurnEnded extends Error {
  override readonly name = "TurnEnded";

  constructor() {
    super("The job continues in its next turn.");
  }
}

/**
 * A turn of a long job. Such jobs run one at a time for each kind, so without turns one account could delay all others.
 */
export class Turn {
  readonly #endMs: number;

  constructor(lengthMs = TURN_MS) {
    this.#endMs = performance.now() + lengthMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }
}
