import { eq, type SQL } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, activities, ownerships, permissions, timeframes } from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import { eraseMails } from "../accounts/mail-folder.js";
import { usernameKey } from "../accounts/usernames.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors, ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { eraseOwnerships } from "../ownerships/erase.js";
import { removePermissions } from "../permissions/remove.js";
import { removeInBatches, removeTimeframes } from "../timeframes/remove.js";
import { eraseWebhooks } from "../webhooks/erase.js";
import { deleteRows, removeAthlete } from "./athlete.js";

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
 * Deletes an account for the operator, with everything that belongs to it: the time frames and permissions of an athlete;
 * the activities of a manager with their webhooks and time frames, the managed athletes, and the ownerships with the
 * samples of their times. The account is closed first. The rest is deleted in transactions of bounded size, and the
 * account last. After an interruption, run the command again.
 * @throws ServiceError `not_found`
 */
export async function deleteAccount(ctx: Context, username: string): Promise<Account> {
  const [found] = await ctx.queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.usernameKey, usernameKey(username)));
  if (found === undefined) throw errors.notFound(`There is no account ${username}.`);
  return deleteAccountById(ctx, found.id);
}

/** Does the same for the account with this id. */
export async function deleteAccountById(ctx: Context, id: number): Promise<Account> {
  const run = withAccount(ctx, id);
  const account = await run(async (unit, account) => {
    await unit.queries.update(accounts).set({ disabledAt: unit.now }).where(eq(accounts.id, account.id));
    await unit.announce("accountClosed", { accountId: account.id });
    return account;
  });
  if (account.role === "ATHLETE") await removeAthlete(ctx, account, run);
  else await removeManager(ctx, account);
  return account;
}

/**
 * Whether a deletion has failed because the account is gone meanwhile. `not_found` alone does not say so: it may be about
 * another account.
 */
export async function isGone(queries: Queries, id: number, error: unknown): Promise<boolean> {
  if (!(error instanceof ServiceError && error.kind === "not_found")) return false;
  return (await queries.$count(accounts, eq(accounts.id, id))) === 0;
}

/** The time frames of a manager: those of the manager's activities. */
const ofOwner = (id: number): SQL => eq(timeframes.ownerId, id);

async function removeManager(ctx: Context, { id, email }: Account): Promise<void> {
  const run = withAccount(ctx, id);
  await removeInBatches(ctx.queries, ofOwner(id), (limit) =>
    run((unit) => removeTimeframes(unit, ofOwner(id), { limit })),
  );
  for (const athlete of await managedBy(ctx.queries, id)) {
    try {
      await removeAthlete(ctx, athlete, withAccount(ctx, athlete.id));
    } catch (error) {
      // Athletes can delete themselves meanwhile, and another process can delete them.
      if (!(await isGone(ctx.queries, athlete.id, error))) throw error;
    }
  }
  for (const device of await devicesOf(ctx.queries, id)) {
    while (await transact(ctx, OPERATION, (unit) => eraseOwnerships(unit, device, id)));
  }
  await run(async (unit, account) => {
    const { queries } = unit;
    // Rows that concurrent requests have added in the meantime. From here on, nothing can refer to the account.
    await eraseWebhooks(unit, id);
    await removeTimeframes(unit, ofOwner(id));
    const managed = await managedBy(queries, id);
    for (const athlete of managed) await deleteRows(unit, athlete);
    for (const device of await devicesOf(queries, id)) while (await eraseOwnerships(unit, device, id));
    const gone = await queries
      .delete(activities)
      .where(eq(activities.ownerId, id))
      .returning({ id: activities.id });
    await unit.announce("activitiesErased", { ids: gone.map((activity) => activity.id) });
    await removePermissions(unit, eq(permissions.managerId, id));
    await deleteRows(unit, account);
    for (const removed of [...managed, account]) await unit.announce("accountRemoved", { account: removed });
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
