import { createHash } from "node:crypto";
import { errors } from "../change/errors.js";
import { isVisibleName } from "./visible-text.js";

/** Returns the case-insensitive form in which usernames of all accounts are compared. */
export const usernameKey = (username: string) => username.normalize("NFKC").toLowerCase();

/**
 * Returns a hash that replaces the username in data that outlives the account, because usernames are personal data.
 * @param key the `usernameKey`
 */
export const usernameHash = (key: string) => createHash("sha256").update(key).digest("base64url");

/** @throws ServiceError `invalid` on the field `username` */
export function requireVisibleCharacters(username: string): void {
  if (!isVisibleName(username)) {
    throw errors.field("username", "White space at the ends and invisible characters are not allowed.");
  }
}
