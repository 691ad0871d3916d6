import type { Item } from "./entity-tags.js";

/** A complete response as sent. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** The result of a change: a resource with its entity tag, a resource or a list of resources, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a change without a result is a function that returns nothing
export type ChangeResult = Item<object> | object | void;

/** A request that takes effect once, even if it is sent repeatedly. */
export interface IdempotentRequest {
  path: string;
  key: string;
  /** SHA-256 of the method, the path with its query, and the body; empty until the body has arrived. */
  fingerprint: Uint8Array;
  /** Creates the response, which is stored in the transaction of the change. */
  responseTo(result: ChangeResult): StoredResponse;
  /** The response stored with the change. */
  response?: StoredResponse;
}
