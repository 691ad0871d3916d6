import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { currentCaller } from "../../fairness/callers.js";
import { FairQueue } from "../../fairness/fair-queue.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";

/** The most common passwords of at least 8 characters. NIST SP 800-63B section 5.1.1.2 requires rejecting them. */
const COMMON = new Set(
  `password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword 12345678 123456789 1234567890
   12345678910 123123123 11111111 111111111 00000000 88888888 87654321 987654321 9876543210 qwertyui qwertyuiop
   qwerty123 qwerty1234 qwerty12 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 q1w2e3r4t5 zaq12wsx asdfghjkl asdfasdf
   abcd1234 abc12345 a1b2c3d4 aa123456 a1234567 a12345678 iloveyou iloveyou1 sunshine sunshine1 princess princess1
   football football1 baseball baseball1 superman batman123 trustno1 starwars welcome1 welcome123 letmein1
   letmein123 whatever michelle jennifer computer internet changeme changeme1 changeit admin123 admin1234
   administrator liverpool chelsea1 arsenal1 monkey123 dragon123 master123 shadow123 charlie1 jordan23 88888888
   11223344 12341234 12344321 123454321 123321123 147258369 159357456 789456123 66666666 77777777 99999999
   asdf1234 qazwsxedc secret123 testtest test1234 testing1 temppass google123 pokemon1 samsung1 freedom1`.split(
    /\s+/,
  ),
);

/** Letters and digits that are hard to confuse. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Generates a password of 20 characters, 115 bits. */
export function generatePassword(): string {
  return Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** @throws ServiceError `invalid` on the field `password` */
function requireAllowed(password: string, username: string): void {
  if (password.toLowerCase() === username.toLowerCase()) {
    throw errors.field("password", "The password must not be the username.");
  }
  if (COMMON.has(password.toLowerCase())) throw errors.field("password", "This password is too common.");
}

/**
 * Maximum number of passwords hashed concurrently. Each takes a processor for tens of milliseconds, 19 MiB, and one of the four
 * threads of the pool that also reads files.
 */
const HASHES_AT_ONCE = 2;
/** Maximum number of waiting passwords of one caller. */
const MAX_WAITING = 100;
const RETRY_AFTER_MS = 1_000;
const hashing = new FairQueue<string>({
  concurrency: HASHES_AT_ONCE,
  concurrencyPerCaller: 1,
  maxWaitingPerCaller: MAX_WAITING,
  refusal: () => errors.throttled(RETRY_AFTER_MS),
});
/** Maximum number of concurrent attempts of one caller. While one attempt is verified, the next is counted. */
const ATTEMPTS_AT_ONCE = 2;
const attempts = new FairQueue<string>({
  concurrency: Number.POSITIVE_INFINITY,
  concurrencyPerCaller: ATTEMPTS_AT_ONCE,
  maxWaitingPerCaller: MAX_WAITING,
  refusal: () => errors.throttled(RETRY_AFTER_MS),
});

/**
 * Hashes or verifies a password when a slot for the caller and its address is free. Many accounts of one address
 * therefore do not delay other addresses. The work must do nothing else, because waiting for the database would block
 * hashing for all callers.
 * @throws ServiceError `throttled` when too many passwords of the caller are waiting
 */
export function whenHasherIsFree<T>(work: () => Promise<T>): Promise<T> {
  const { name, group } = currentCaller();
  return hashing.run(`${name} ${group}`, work, undefined, group);
}

/**
 * Runs an attempt with its queries after earlier attempts of the same caller. Other callers do not wait for it.
 * @throws ServiceError `throttled` when too many attempts of the caller are waiting
 */
export const asPasswordAttempt = <T>(caller: string, work: () => Promise<T>): Promise<T> =>
  attempts.run(caller, work);

/**
 * Checks a new password and hashes it with argon2id. This is expensive, so make all other checks first.
 * @throws ServiceError `invalid` on the field `password`; `throttled`
 */
export async function hashPassword(ctx: Context, password: string, username: string): Promise<string> {
  requireAllowed(password, username);
  await ctx.countPassword?.();
  return whenHasherIsFree(() => hash(password));
}

/**
 * Checks and hashes the password of an update. This is expensive, so make all other checks first.
 * @returns undefined when no password or the current one was sent, because a client that sends back the whole account does not
 *   intend to end its sessions
 * @throws ServiceError `invalid` on the field `password`; `throttled`
 */
export async function changedPasswordHash(
  ctx: Context,
  passwordHash: string | null,
  password: string | undefined,
  username: string,
): Promise<string | undefined> {
  if (password === undefined) return undefined;
  requireAllowed(password, username);
  await ctx.countPassword?.();
  return whenHasherIsFree(async () =>
    (await isPassword(password, passwordHash)) ? undefined : hash(password),
  );
}

let dummy: Promise<string> | undefined;

/** Whether the password matches the hash. Without a hash, the function takes the same time and returns false. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  dummy ??= hash(generatePassword());
  const matches = await verify(passwordHash ?? (await dummy), password);
  return matches && passwordHash !== null;
}
