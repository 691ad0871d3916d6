import { type AnyColumn, and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import {
  accounts,
  activities,
  auditLog,
  jobs,
  ownerships,
  permissions,
  timeframes,
  webhookDeliveries,
  webhooks,
} from "../../store/schema.js";
import { deleteRows, removeAthlete } from "../athletes/remove.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { eraseOwnerships } from "../ownerships/erase.js";
import { removePermissions } from "../permissions/revoke.js";
import { removeInPortions, removeTimeframes } from "../timeframes/remove.js";
import type { UnitOfWork } from "../unit-of-work.js";
import type { Account } from "./find.js";
import { eraseMails } from "./mail-folder.js";
import { revokeTokens, usernameKey } from "./store.js";

const OPERATION = "account delete";

async function lockAccount({ queries }: UnitOfWork, id: number): Promise<Account> {
  const [account] = await queries.select().from(accounts).where(eq(accounts.id, id)).for("update");
  if (account === undefined) throw errors.notFound();
  return account;
}

/** Runs work in a transaction in which the account is locked. */
const withAccount =
  (ctx: Context, id: number) =>
  <T>(work: (unit: UnitOfWork, account: Account) => Promise<T>): Promise<T> =>
    transact(ctx, OPERATION, async (unit) => work(unit, await lockAccount(unit, id)));

/**
 * Deletes an account for the operator, with all that belongs to it: an athlete's time frames and permissions; a manager's
 * activities with their webhooks and time frames, his managed athletes, his ownerships with the samples of their times.
 * The account is closed first; the rest goes in transactions of bounded size, and last the account. One that was cut off
 * between them is repeated.
 * @throws ServiceError `not_found`
 */
export async function deleteAccount(ctx: Context, username: string): Promise<Account> {
  const [found] = await ctx.queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.usernameKey, usernameKey(username)));
  if (found === undefined) throw errors.notFound(`There is no account ${username}.`);
  const run = withAccount(ctx, found.id);
  const account = await run(async (unit, account) => {
    await unit.queries.update(accounts).set({ disabledAt: unit.now }).where(eq(accounts.id, account.id));
    await revokeTokens(unit, account.id);
    await removeWebhooks(unit, account.id);
    return account;
  });
  if (account.role === "ATHLETE") await removeAthlete(ctx, account, run);
  else await removeManager(ctx, account);
  return account;
}

/** Time frames that a manager owns; he owns those of his activities. */
const ofOwner = (id: number): SQL => eq(timeframes.ownerId, id);

async function removeManager(ctx: Context, { id, email }: Account): Promise<void> {
  const run = withAccount(ctx, id);
  await removeInPortions(ctx.queries, ofOwner(id), (limit) =>
    run((unit) => removeTimeframes(unit, ofOwner(id), { limit })),
  );
  for (const athlete of await managedBy(ctx.queries, id)) {
    await removeAthlete(ctx, athlete, withAccount(ctx, athlete.id));
  }
  for (const device of await devicesOf(ctx.queries, id)) {
    await transact(ctx, OPERATION, (unit) => eraseOwnerships(unit, device, id));
  }
  await run(async (unit, account) => {
    const { queries } = unit;
    // What requests that were under way have added meanwhile; from here on nothing can refer to the account.
    await removeWebhooks(unit, id);
    await removeTimeframes(unit, ofOwner(id));
    for (const athlete of await managedBy(queries, id)) await deleteRows(unit, athlete);
    for (const device of await devicesOf(queries, id)) await eraseOwnerships(unit, device, id);
    const gone = await queries
      .delete(activities)
      .where(eq(activities.ownerId, id))
      .returning({ id: activities.id });
    await unit.auditAll("activity", gone);
    await removePermissions(unit, eq(permissions.managerId, id));
    await deleteRows(unit, account);
  });
  await eraseMails(ctx.config.dataDir, { id, email });
}

const managedBy = (queries: Queries, id: number): Promise<Account[]> =>
  queries.select().from(accounts).where(eq(accounts.managedBy, id));

async function devicesOf(queries: Queries, id: number): Promise<number[]> {
  const rows = await queries
    .selectDistinct({ device: ownerships.deviceId })
    .from(ownerships)
    .where(eq(ownerships.managerId, id));
  return rows.map(({ device }) => device);
}

/**
 * Removes the webhooks of the account's activities, and what was and is to be sent by those and by earlier ones. The
 * webhooks first: a change that is under way writes deliveries while it holds them.
 */
async function removeWebhooks({ queries }: UnitOfWork, id: number): Promise<void> {
  const theirs = queries.select({ id: activities.id }).from(activities).where(eq(activities.ownerId, id));
  const gone = await queries
    .delete(webhooks)
    .where(inArray(webhooks.activityId, theirs))
    .returning({ id: webhooks.id });
  const earlier = queries
    .select({ id: auditLog.entityId })
    .from(auditLog)
    .where(and(eq(auditLog.accountId, id), eq(auditLog.entity, "webhook")));
  const isTheirs = (column: AnyColumn): SQL =>
    sql`(${column} = ANY(${sql.param(gone.map((webhook) => webhook.id))}::bigint[]) OR ${column} IN ${earlier})`;
  const carriers = queries.select({ id: jobs.id }).from(jobs).where(eq(jobs.chargedTo, id));
  await queries
    .delete(webhookDeliveries)
    .where(or(isTheirs(webhookDeliveries.webhookId), inArray(webhookDeliveries.jobId, carriers)));
  // The service itself changes webhooks too, when their receivers fail.
  await queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(and(eq(auditLog.entity, "webhook"), isTheirs(auditLog.entityId)));
}
