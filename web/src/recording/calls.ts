/** Arguments and results of the calls from a page to a worker, by name. */
export type RequestTable<Table> = { [Name in keyof Table]: { asked: unknown; answered: unknown } };

/** Options of the page for a call. */
export interface Hooks {
  onProgress?: ((progress: number) => void) | undefined;
  /** Cancels the call with the error `ABORTED`. */
  signal?: AbortSignal | undefined;
}

export type CallRequest =
  | { call: number; name: string; asked: unknown }
  /** Tells the worker that the page no longer needs the result of this call. */
  | { cancelled: number };

/** An error in a message from the worker to the page. */
export interface Failure {
  /** Code of the library or of the service, or null for other errors. */
  code: string | null;
  message: string;
  byteOffset: number | null;
  line: number | null;
}

export type CallReply =
  | { call: number; answered: unknown }
  | { call: number; failed: Failure }
  | { call: number; progress: number };

/** An error from the worker, with the message of the library. */
export class ReadingError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "ReadingError";
    this.failure = failure;
  }
}
