import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** Identical in all attempts to deliver an event. */
  messageId: string;
  /** Time of this attempt. */
  at: Date;
  body: string;
  key: Uint8Array;
}

/**
 * Returns the headers of Standard Webhooks 1.0: id, timestamp in seconds, and `v1,` with the base64 of HMAC-SHA256 over id,
 * timestamp and body, joined with periods.
 */
export function signatureHeaders({ messageId, at, body, key }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac("sha256", key).update(`${messageId}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
