import { eq } from "drizzle-orm";
import { accounts, timeframes } from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import { eraseMails } from "../accounts/mail-folder.js";
import { athleteItem, type Filters, requireMatch } from "../athletes/list.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { removeInBatches, removeTimeframes } from "../timeframes/remove.js";

/** Runs work in a transaction in which the athlete is locked, and the caller's right to delete the athlete checked. */
type Run = (work: (unit: UnitOfWork, athlete: Account) => Promise<void>) => Promise<void>;

/** Deletes the account with its time frames and permissions. Its tokens are deleted by the database (ON DELETE CASCADE). */
export async function removeAthlete(
  ctx: Context,
  { id, email }: Pick<Account, "id" | "email">,
  run: Run,
): Promise<void> {
  const ofAthlete = eq(timeframes.athleteId, id);
  await removeInBatches(ctx.queries, ofAthlete, (limit) =>
    run(async (unit) => {
      await removeTimeframes(unit, ofAthlete, { limit });
    }),
  );
  await run(async (unit, account) => {
    await deleteRows(unit, account);
    await unit.announce("accountRemoved", { account });
  });
  await eraseMails(ctx.config.dataDir, { id, email });
}

/** Deletes an account that no longer owns anything. Announce `accountRemoved` at the end of the transaction. */
export async function deleteRows({ announce, queries }: UnitOfWork, account: Account): Promise<void> {
  await announce("accountDeleted", { account });
  await queries.delete(accounts).where(eq(accounts.id, account.id));
}

/** Deletes the caller's own account. */
export const deleteAthlete = (ctx: Context, athlete: Account, filters: Filters): Promise<void> =>
  removeAthlete(ctx, athlete, (work) =>
    change(
      ctx,
      "deleteAthlete",
      { athlete: athlete.id },
      async (unit, { athlete }) => {
        await requireMatch(unit.queries, athlete, filters);
        await work(unit, athlete);
      },
      async (_unit, { athlete }) => athleteItem(athlete),
    ),
  );

/** Deletes an athlete whom the caller manages. */
export const deleteManagedAthlete = (ctx: Context, athlete: Account, filters: Filters): Promise<void> =>
  removeAthlete(ctx, athlete, (work) =>
    change(
      ctx,
      "deleteManagedAthlete",
      { athlete: athlete.id },
      async (unit, athlete) => {
        await requireMatch(unit.queries, athlete, filters);
        await work(unit, athlete);
      },
      async (_unit, athlete) => athleteItem(athlete),
    ),
  );
