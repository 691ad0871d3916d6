import { randomInt } from "node:crypto";
import { Value } from "@sinclair/typebox/value";
import { isPersonName } from "../../domain/accounts/resource.js";
import { isVisibleName } from "../../domain/accounts/visible-text.js";
import { Email } from "../../wire/types.js";

type Claims = Readonly<Record<string, unknown>>;

/** Returns a claim by its name, or by its path with dots. Names of claims can contain dots. */
function claim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const key of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Claims)[key];
  }
  return value;
}

/**
 * Returns the groups of the user from a claim that is a list of texts or one text; undefined if the provider does not send the
 * claim.
 */
export function groupsOf(claims: Claims, name: string): ReadonlySet<string> | undefined {
  const value = claim(claims, name);
  if (value === undefined) return undefined;
  const groups = Array.isArray(value) ? value : [value];
  return new Set(groups.filter((group) => typeof group === "string"));
}

/**
 * Whether the claim `hd` (the organisation of a Google account) is one of the domains, which are in lower case. The domain of
 * the email address is not proof: a private Google account can have an address of the organisation.
 * @param domains an empty list admits everyone
 */
export const isOfDomain = ({ hd }: Claims, domains: readonly string[]): boolean =>
  domains.length === 0 || (typeof hd === "string" && domains.includes(hd.toLowerCase()));

const MAX_USERNAME = 150;
/** Number of different names for users with the same name. */
const SUFFIXES = 1_000_000;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Returns the username of a new account, or an alternative if it is taken. The name only identifies the account to
 * people, and gives no access to an existing account with this name.
 */
export function usernamesOf(claims: Claims): [preferred: string, other: string] {
  const wanted = [claims.preferred_username, claims.email, claims.name]
    .map(textOf)
    .find((name) => name !== "" && name.length <= MAX_USERNAME && isVisibleName(name));
  const name = wanted ?? "member";
  const other = `${name.slice(0, MAX_USERNAME - 7)}-${randomInt(SUFFIXES).toString().padStart(6, "0")}`;
  return [wanted ?? other, isVisibleName(other) ? other : `member-${randomInt(SUFFIXES)}`];
}

/**
 * Returns the profile of a new account. An email address that the provider has not verified may belong to someone else, so it is
 * not used.
 */
export function profileOf(claims: Claims) {
  const email = claims.email_verified === true ? textOf(claims.email) : "";
  const name = (value: unknown) => {
    const text = textOf(value);
    return text !== "" && text.length <= MAX_USERNAME && isPersonName(text) ? text : null;
  };
  const isUsed = Value.Check(Email(), email);
  return {
    email: isUsed ? email : "",
    emailConfirmed: isUsed && email !== "",
    firstName: name(claims.given_name),
    lastName: name(claims.family_name),
  };
}
