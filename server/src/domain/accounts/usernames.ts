import { createHash } from "node:crypto";
import { errors } from "../errors.js";

/** Usernames are compared case-insensitively, over all accounts. */
export const usernameKey = (username: string) => username.normalize("NFKC").toLowerCase();

/**
 * Stands for a username where something outlives the account: usernames are personal data.
 * @param key the `usernameKey`
 */
export const usernameHash = (key: string) => createHash("sha256").update(key).digest("base64url");

/**
 * Characters that usernames must not contain: white space at either end, and invisible characters (control and format
 * characters, fillers, private-use and unassigned characters). A username with one of them would look like another one.
 */
const FORBIDDEN_CHARACTERS = /^\s|\s$|[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** @throws ServiceError `invalid` on the field `username` */
export function requireVisibleCharacters(username: string): void {
  if (FORBIDDEN_CHARACTERS.test(username)) {
    throw errors.field("username", "White space at the ends and invisible characters are not allowed.");
  }
}
