import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** The same in all attempts to deliver an event. */
  messageId: string;
  /** The time of this attempt. */
  at: Date;
  body: string;
  /** The webhook's `secret_token`. */
  secret: string;
}

/**
 * The headers of Standard Webhooks 1.0: id, timestamp in seconds, and `v1,` with the base64 of HMAC-SHA256 over id,
 * timestamp and body, joined with full stops. The key is the secret's UTF-8 bytes.
 */
export function signatureHeaders({ messageId, at, body, secret }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac("sha256", Buffer.from(secret, "utf8"))
    .update(`${messageId}.${timestamp}.${body}`)
    .digest("base64");
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
