import { createHash } from "node:crypto";

/**
 * Form of an email address for comparisons: NFKC, lower case, without subaddress (RFC 5233). An address in another spelling, such
 * as `Ann+club@example.org`, must not count as another recipient.
 */
export const emailKey = (email: string): string =>
  email
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\+[^@]*(?=@[^@]*$)/, "");

/** Identifies the recipient in counters without storing the address. */
export const recipientHash = (email: string): string =>
  createHash("sha256").update(emailKey(email)).digest("base64url");
