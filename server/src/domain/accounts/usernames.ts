import { createHash } from "node:crypto";
import { errors } from "../change/errors.js";
import { isVisibleName } from "./visible-text.js";

/** Usernames are compared case-insensitively, over all accounts. */
export const usernameKey = (username: string) => username.normalize("NFKC").toLowerCase();

/**
 * Identifies a username in what outlives the account: usernames are personal data.
 * @param key the `usernameKey`
 */
export const usernameHash = (key: string) => createHash("sha256").update(key).digest("base64url");

/** @throws ServiceError `invalid` on the field `username` */
export function requireVisibleCharacters(username: string): void {
  if (!isVisibleName(username)) {
    throw errors.field("username", "White space at the ends and invisible characters are not allowed.");
  }
}
