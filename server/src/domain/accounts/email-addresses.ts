import { createHash } from "node:crypto";
import { emailDomain } from "../../wire/email-address.js";

/**
 * Returns the form that identifies a mailbox in limits, where other spellings of an address must not count as other
 * recipients. The local part is NFKC and lower case, without subaddress (RFC 5233) and without dots, which some providers
 * ignore. The domain is the one to which emails are sent. People whose addresses differ only in dots share these limits,
 * as do strangers who enter the same address.
 */
export function emailKey(email: string): string {
  if (email === "") return "";
  const local = email.slice(0, email.lastIndexOf("@")).normalize("NFKC").toLowerCase();
  return `${local.replace(/\+.*$/, "").replaceAll(".", "")}@${emailDomain(email)}`;
}

/** Returns a hash that identifies the recipient in counters, which do not store the address. */
export const recipientHash = (email: string): string =>
  createHash("sha256").update(emailKey(email)).digest("base64url");
