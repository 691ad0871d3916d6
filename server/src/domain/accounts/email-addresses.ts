import { createHash } from "node:crypto";

/**
 * Returns the form in which email addresses are compared: NFKC, lower case, without subaddress (RFC 5233). An address in another
 * spelling, such as `Ann+club@example.org`, must not count as another recipient.
 */
export const emailKey = (email: string): string =>
  email
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\+[^@]*(?=@[^@]*$)/, "");

/** Returns a hash that identifies the recipient in counters, which do not store the address. */
export const recipientHash = (email: string): string =>
  createHash("sha256").update(emailKey(email)).digest("base64url");
