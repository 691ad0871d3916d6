import { and, desc, eq, gt } from "drizzle-orm";
import { lockInTransaction } from "../../store/connection/transaction-lock.js";
import { accounts, passwordResets } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recipientHash } from "./email-addresses.js";
import { type Account, isOldestWithAddress } from "./find.js";

/** Lifetime of the link in the email. The link works once. */
export const RESET_LIFETIME_MS = 60 * 60 * 1000;

/**
 * Returns whether another password reset link may be emailed now. A limit on requests would let strangers lock a user out.
 * Instead, after many emails, further ones are spread over the hour, while the link in the last email stays valid. An account
 * that has confirmed its address has its own limit. All other accounts with one address, in any spelling, share a limit, because
 * a stranger may have registered them to fill the mailbox. The oldest of them may always have one valid link.
 */
export async function mayMailReset(unit: UnitOfWork, account: Account): Promise<boolean> {
  const { queries, config, now } = unit;
  if (!account.emailConfirmed)
    await lockInTransaction(queries, `password reset ${recipientHash(account.email)}`);
  const counted = account.emailConfirmed
    ? eq(accounts.id, account.id)
    : and(eq(accounts.emailKey, account.emailKey), eq(accounts.emailConfirmed, false));
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
  if (account.emailConfirmed || !(await isOldestWithAddress(queries, account))) return false;
  const isValid = and(eq(passwordResets.accountId, account.id), gt(passwordResets.expiresAt, now));
  return (await queries.$count(passwordResets, isValid)) === 0;
}
