/** An answer as it is sent. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** A request that its caller wants done once, however often it is sent. */
export interface IdempotentRequest {
  path: string;
  key: string;
  /** SHA-256 of the method, the path with its query, and the body; empty until the body is there. */
  fingerprint: Uint8Array;
  /** Makes the response from the result of the change, so that it is stored in the same transaction. */
  answerOf(result: unknown): Answer;
  /** The answer that was stored with the change. */
  answer?: Answer;
}
