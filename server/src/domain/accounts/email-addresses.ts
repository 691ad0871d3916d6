import { createHash } from "node:crypto";
import { emailDomain } from "../../wire/email-address.js";

/**
 * Identifies a mailbox in limits, where other spellings of an address must not count as other recipients. The local part is NFKC,
 * lower case, without subaddress (RFC 5233) and dots, which many providers ignore; the domain is the one to which emails are sent.
 * People whose addresses differ only by a dot share these limits, as strangers do who enter the same address.
 */
export function emailKey(email: string): string {
  if (email === "") return "";
  const local = email.slice(0, email.lastIndexOf("@")).normalize("NFKC").toLowerCase();
  return `${local.replace(/\+.*$/, "").replaceAll(".", "")}@${emailDomain(email)}`;
}

/** Identifies the recipient in counters without storing the address. */
export const recipientHash = (email: string): string =>
  createHash("sha256").update(emailKey(email)).digest("base64url");
