import type { Failure } from "./messages.js";

/** An error from the worker, in the library's words. */
export class ReadingError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "ReadingError";
    this.failure = failure;
  }
}
