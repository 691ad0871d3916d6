import { eq } from "drizzle-orm";
import { accounts, permissions, timeframes } from "../../store/schema.js";
import { eraseInParts, ofPerson } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { eraseMails } from "../accounts/mail-folder.js";
import { athleteItem, type Filters, requireMatch } from "../athletes/list.js";
import type { TargetOf } from "../change/access.js";
import { change, requireTag } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { deleteSomePermissions } from "../permissions/remove.js";
import { deleteInBatches, deleteTimeframes, OF_ATHLETE_AT_A_TIME } from "../timeframes/remove.js";
import { responsesOf } from "./responses.js";

/** Runs work in a transaction that locks the athlete and checks the caller's right to delete the athlete. */
type Run = <T>(work: (unit: UnitOfWork, athlete: Account) => Promise<T>) => Promise<T>;

/** Columns of an athlete that the deletion reads. */
export type AthleteToRemove = Pick<Account, "id" | "username" | "managedBy">;

/**
 * Deletes the account with its permissions, time frames and other rows in batches, each in a separate transaction. The database
 * deletes its tokens (ON DELETE CASCADE).
 */
export async function removeAthlete(ctx: Context, athlete: AthleteToRemove, run: Run): Promise<void> {
  const { id } = athlete;
  const responses = await responsesOf(ctx, athlete);
  await responses.eraseInParts(run);
  const ofAthlete = eq(timeframes.athleteId, id);
  while (await run((unit) => deleteSomePermissions(unit, eq(permissions.athleteId, id))));
  await deleteInBatches(
    ctx.queries,
    ofAthlete,
    (limit) => run((unit) => deleteTimeframes(unit, ofAthlete, { limit })),
    OF_ATHLETE_AT_A_TIME,
  );
  await eraseInParts(run, ofPerson({ id }));
  // Again, so that the last transaction examines few responses.
  await responses.eraseInParts(run);
  await run(async (unit, account) => {
    await responses.eraseRest(unit);
    await deleteRows(unit, account);
    await unit.announce("accountRemoved", { account });
  });
  await eraseMails(ctx.config.dataDir, id);
}

/** Deletes an account without data. Announce `accountRemoved` at the end of the transaction. */
export async function deleteRows({ announce, queries }: UnitOfWork, account: Account): Promise<void> {
  await announce("accountDeleted", { account });
  await queries.delete(accounts).where(eq(accounts.id, account.id));
}

/** Operations that delete an athlete. */
type Deletion = "deleteAthlete" | "deleteManagedAthlete";

const athleteOf = (target: TargetOf<Deletion>): Account => ("athlete" in target ? target.athlete : target);

async function deleteBy(
  ctx: Context,
  operation: Deletion,
  athlete: Account,
  filters: Filters,
): Promise<void> {
  // before `removeAthlete` searches for everything that names the athlete
  requireTag(ctx, athleteItem(athlete));
  await requireMatch(ctx.queries, athlete, filters);
  await removeAthlete(ctx, athlete, async <T>(work: (unit: UnitOfWork, athlete: Account) => Promise<T>) => {
    let result: { of: T } | undefined;
    await change(
      ctx,
      operation,
      { athlete: athlete.id },
      async (unit, target) => {
        await requireMatch(unit.queries, athleteOf(target), filters);
        result = { of: await work(unit, athleteOf(target)) };
      },
      async (_unit, target) => athleteItem(athleteOf(target)),
    );
    if (result === undefined) throw new Error("The athlete was not changed");
    return result.of;
  });
}

/** Deletes the caller's own account. */
export const deleteAthlete = (ctx: Context, athlete: Account, filters: Filters): Promise<void> =>
  deleteBy(ctx, "deleteAthlete", athlete, filters);

/** Deletes an athlete whom the caller manages. */
export const deleteManagedAthlete = (ctx: Context, athlete: Account, filters: Filters): Promise<void> =>
  deleteBy(ctx, "deleteManagedAthlete", athlete, filters);
