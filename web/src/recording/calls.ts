/** What a page asks of a worker, and what it answers, by name. */
export type RequestTable<Table> = { [Name in keyof Table]: { asked: unknown; answered: unknown } };

/** What the page does while it waits for an answer. */
export interface Hooks {
  onProgress?: ((progress: number) => void) | undefined;
  /** Ends the call with the error `ABORTED`. */
  signal?: AbortSignal | undefined;
}

export type CallRequest =
  | { call: number; name: string; asked: unknown }
  /** The answer to this call is no longer wanted. */
  | { cancelled: number };

/** An error on its way from the worker to the page. */
export interface Failure {
  /** Code of the library or of the service; null for an error of another kind. */
  code: string | null;
  message: string;
  byteOffset: number | null;
  line: number | null;
}

export type CallReply =
  | { call: number; answered: unknown }
  | { call: number; failed: Failure }
  | { call: number; progress: number };

/** An error from the worker, in the library's words. */
export class ReadingError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "ReadingError";
    this.failure = failure;
  }
}
