import { and, desc, eq, gt, min, sql } from "drizzle-orm";
import { accounts, passwordResets } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { emailKey, recipientHash } from "./email-addresses.js";
import type { Account } from "./find.js";

/** Lifetime of the link in the email. The link works once. */
export const RESET_LIFETIME_MS = 60 * 60 * 1000;

/**
 * Whether another password reset link may be emailed now. With a limit on requests, strangers could lock a user out. So after many
 * emails, further ones are spread over the hour, while the link in the last email stays valid. An account that has confirmed its
 * address has its own limit. All others with one address, in any spelling, share one, because a stranger may have registered them
 * to fill the mailbox; but the oldest of them may always have one valid link.
 */
export async function mayMailReset(unit: UnitOfWork, account: Account): Promise<boolean> {
  const { queries, config, now } = unit;
  const ofAccount = eq(accounts.id, account.id);
  const sharesAddress = eq(accounts.emailKey, emailKey(account.email));
  if (!account.emailConfirmed) {
    const recipient = `password reset ${recipientHash(account.email)}`;
    await queries.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${recipient}, 0))`);
  }
  const counted = account.emailConfirmed ? ofAccount : and(sharesAddress, eq(accounts.emailConfirmed, false));
  const perHour = config.throttlePasswordResetsOfUserPerHour;
  const mailed = await queries
    .select({ at: passwordResets.createdAt })
    .from(passwordResets)
    .innerJoin(accounts, eq(accounts.id, passwordResets.accountId))
    .where(and(counted, gt(passwordResets.createdAt, new Date(now.getTime() - RESET_LIFETIME_MS))))
    .orderBy(desc(passwordResets.createdAt))
    .limit(perHour);
  const [last] = mailed;
  if (last === undefined || mailed.length < perHour) return true;
  if (now.getTime() - last.at.getTime() >= RESET_LIFETIME_MS / perHour) return true;
  if (account.emailConfirmed) return false;
  const [first] = await queries
    .select({ id: min(accounts.id) })
    .from(accounts)
    .where(sharesAddress);
  const isValid = and(eq(passwordResets.accountId, account.id), gt(passwordResets.expiresAt, now));
  return first?.id === account.id && (await queries.$count(passwordResets, isValid)) === 0;
}
