import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, assignments, ownerships, permissions, squads, timeframes } from "../../store/schema.js";
import { deleting, eraseInParts, eraseSome, ofPerson } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { eraseMails } from "../accounts/mail-folder.js";
import { usernameKey } from "../accounts/usernames.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors, ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { eraseOwnerships } from "../ownerships/erase.js";
import { deletePermissions, deleteSomePermissions } from "../permissions/remove.js";
import { deleteInBatches, deleteTimeframes } from "../timeframes/remove.js";
import { carriersOf, deleteWebhooks, deliveriesOf, eraseWebhooks, nextWebhooks } from "../webhooks/erase.js";
import { eraseActivities } from "./activities.js";
import { type AthleteToRemove, deleteRows, removeAthlete } from "./athlete.js";

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
 * Deletes an account for the operator, with all its data. For an athlete, these are time frames and permissions; for a
 * manager, activities with their webhooks and time frames, managed athletes, and ownerships with their samples. The
 * account is closed first. The data is deleted in transactions of limited size, and the account last. After an
 * interruption, run the command again.
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

/** Deletes the account with this id. */
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
 * Whether a deletion has failed because the account no longer exists. `not_found` is not sufficient: it may concern another
 * account.
 */
export async function isGone(queries: Queries, id: number, error: unknown): Promise<boolean> {
  if (!(error instanceof ServiceError && error.kind === "not_found")) return false;
  return (await queries.$count(accounts, eq(accounts.id, id))) === 0;
}

/** Matches the time frames of a manager, which belong to the manager's activities. */
const ofOwner = (id: number): SQL => eq(timeframes.ownerId, id);

/** Deletes the squads and the assignments of a manager. The sessions were deleted with their activities. */
async function eraseSquads(unit: UnitOfWork, id: number): Promise<boolean> {
  await unit.announce("squadsErased", { ownerId: id });
  return eraseSome(unit, [
    deleting(squads, sql`owner_id = ${id}`),
    deleting(assignments, sql`owner_id = ${id}`),
  ]);
}

/** Number of managed athletes in one read. */
const ATHLETES_AT_A_TIME = 100;

async function removeManager(ctx: Context, { id }: Account): Promise<void> {
  const run = withAccount(ctx, id);
  while (await run((unit) => eraseActivities(unit, id)));
  while (await run((unit) => eraseSquads(unit, id)));
  await eraseEarlierDeliveries(run, id);
  await eraseInParts(run, [carriersOf(id)]);
  await deleteInBatches(ctx.queries, ofOwner(id), (limit) =>
    run((unit) => deleteTimeframes(unit, ofOwner(id), { limit })),
  );
  // Erase the stored responses before the athletes, because the remaining responses are searched for each athlete.
  await eraseInParts(run, ofPerson({ id }));
  for (let after = 0, athletes = await managedBy(ctx.queries, id, after); athletes.length > 0; ) {
    for (const athlete of athletes) {
      after = athlete.id;
      try {
        await removeAthlete(ctx, athlete, withAccount(ctx, athlete.id));
      } catch (error) {
        // The athlete or another process may have deleted the account.
        if (!(await isGone(ctx.queries, athlete.id, error))) throw error;
      }
    }
    athletes = await managedBy(ctx.queries, id, after);
  }
  for (const device of await devicesOf(ctx.queries, id)) {
    while (await transact(ctx, OPERATION, (unit) => eraseOwnerships(unit, device, id)));
  }
  const toManager = eq(permissions.managerId, id);
  while (await run((unit) => deleteSomePermissions(unit, toManager)));
  await run(async (unit, account) => {
    const { queries } = unit;
    // Delete rows that concurrent requests have added. The lock on the account prevents new references.
    await eraseWebhooks(unit, id);
    await deleteTimeframes(unit, ofOwner(id));
    const managed = await queries.select().from(accounts).where(eq(accounts.managedBy, id));
    for (const athlete of managed) await deleteRows(unit, athlete);
    for (const device of await devicesOf(queries, id)) while (await eraseOwnerships(unit, device, id));
    while (await eraseActivities(unit, id));
    while (await eraseSquads(unit, id));
    await deletePermissions(unit, toManager);
    await deleteRows(unit, account);
    for (const removed of [...managed, account]) await unit.announce("accountRemoved", { account: removed });
  });
  await eraseMails(ctx.config.dataDir, id);
}

type Run = ReturnType<typeof withAccount>;

/** Erases the deliveries of webhooks deleted earlier, and audited values of all webhooks of the account. */
async function eraseEarlierDeliveries(run: Run, id: number): Promise<void> {
  for (let after = 0; ; ) {
    const from = after;
    const webhooks = await run((unit) => nextWebhooks(unit, id, from));
    const last = webhooks.at(-1);
    if (last === undefined) return;
    await eraseInParts(run, [deliveriesOf(webhooks)]);
    await run((unit) => deleteWebhooks(unit, webhooks));
    after = last;
  }
}

/**
 * Omits the pictures, which may total a gigabyte. `+ 0` makes the database use the index on managers; otherwise it can scan all
 * accounts in the order of their ids.
 */
const managedBy = (queries: Queries, id: number, after: number): Promise<AthleteToRemove[]> =>
  queries
    .select({
      id: accounts.id,
      username: accounts.username,
      managedBy: accounts.managedBy,
    })
    .from(accounts)
    .where(and(eq(accounts.managedBy, id), gt(accounts.id, after)))
    .orderBy(sql`${accounts.id} + 0`)
    .limit(ATHLETES_AT_A_TIME);

async function devicesOf(queries: Queries, id: number): Promise<number[]> {
  const rows = await queries
    .selectDistinct({ device: ownerships.deviceId })
    .from(ownerships)
    .where(eq(ownerships.managerId, id));
  return rows.map(({ device }) => device);
}
