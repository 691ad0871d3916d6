import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** Identical in all attempts to deliver an event. */
  messageId: string;
  /** Time of this attempt. */
  at: Date;
  body: string;
  /** A key for each signature, the current one first. */
  keys: readonly Uint8Array[];
}

/**
 * Returns the headers of Standard Webhooks 1.0: id, timestamp in seconds, and for each key `v1,` with the base64 of HMAC-SHA256
 * over id, timestamp and body, joined with periods. Spaces separate the signatures.
 */
export function signatureHeaders({ messageId, at, body, keys }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${messageId}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
