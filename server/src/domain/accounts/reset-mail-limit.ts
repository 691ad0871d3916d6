import { and, eq, gt, sql } from "drizzle-orm";
import { lockInTransaction } from "../../store/connection/transaction-lock.js";
import { passwordResets } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recipientHash } from "./email-addresses.js";
import type { Account } from "./find.js";
import { userKey } from "./user-counters.js";

/** Lifetime of the link in the email. The link works once. */
export const RESET_LIFETIME_MS = 60 * 60 * 1000;

/** Longest time for which a link waits for its turn. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** Scope of the counters that limit password reset emails. */
export const RESET_MAIL = "resetMail";

/**
 * Returns the key of the counter of an account. All accounts that have not confirmed their address share one counter for
 * each mailbox, because a stranger may have registered them to fill it. The counter depends neither on the accounts nor
 * on their links, which a stranger can delete.
 */
const keyOf = ({ id, email, emailConfirmed }: Account) =>
  `${RESET_MAIL}:${emailConfirmed ? userKey(id) : recipientHash(email)}`;

/** Returns the time between two emails after as many as the limit, ms. */
const intervalOf = ({ config }: UnitOfWork) =>
  Math.ceil(RESET_LIFETIME_MS / config.throttlePasswordResetsOfUserPerHour);

/**
 * Returns the time at which another link may be emailed. A limit on requests would let strangers lock a user out.
 * Instead, after many emails, further ones are spread over the hour. Until then, an account with a valid link gets no other
 * one. Any other link waits for its turn, in the order of the requests. Requests from one address delay it by at most one
 * email. Requests from more than a hundred addresses can fill a day, and then no further link is queued.
 * @returns undefined if no link is emailed
 */
export async function timeOfResetMail(unit: UnitOfWork, account: Account): Promise<Date | undefined> {
  const { queries, config, now } = unit;
  const key = keyOf(account);
  await lockInTransaction(queries, key);
  const { rows } = await queries.execute(sql`SELECT expire FROM throttle_counters WHERE key = ${key}`);
  // Generic cell rate algorithm: the counter expires one interval later for each email.
  const expires = Number(rows[0]?.expire ?? 0);
  const turn = new Date(expires - (config.throttlePasswordResetsOfUserPerHour - 1) * intervalOf(unit));
  if (turn <= now) return now;
  if (turn.getTime() - now.getTime() > MAX_WAIT_MS) return undefined;
  const isValid = and(eq(passwordResets.accountId, account.id), gt(passwordResets.expiresAt, now));
  return (await queries.$count(passwordResets, isValid)) === 0 ? turn : undefined;
}

/** Counts an emailed link. */
export async function countResetMail(unit: UnitOfWork, account: Account): Promise<void> {
  const [nowMs, interval] = [unit.now.getTime(), intervalOf(unit)];
  await unit.queries.execute(sql`
    INSERT INTO throttle_counters AS counter (key, points, expire) VALUES (${keyOf(account)}, 1, ${nowMs + interval})
    ON CONFLICT (key) DO UPDATE
    SET points = counter.points + 1, expire = greatest(counter.expire, ${nowMs}) + ${interval}`);
}
