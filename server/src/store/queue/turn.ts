/** Time after which a long job gives its place to the jobs of others, ms. */
const TURN_MS = 2_000;

/** Thrown by a job that has saved its progress and continues in its next turn. */
export class TurnEnded extends Error {
  override readonly name = "TurnEnded";

  constructor() {
    super("The job continues in its next turn.");
  }
}

/**
 * A turn of a job with any amount of work. Kinds with such jobs have one place, so without turns one account could delay
 * the jobs of all others for as long as its work takes.
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
