import { eq } from "drizzle-orm";
import { accounts, permissions, timeframes } from "../../store/schema.js";
import { erasePerson } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { type Change, change } from "../change.js";
import type { Context } from "../context.js";
import { removePermissions } from "../permissions/revoke.js";
import { removeInPortions, removeTimeframes } from "../timeframes/remove.js";
import { athleteItem, type Filters, requireMatch } from "./list.js";

/** Runs work in a transaction in which the athlete is locked, and the caller's right to delete the athlete checked. */
type Run = (work: (change: Change, athlete: Account) => Promise<void>) => Promise<void>;

/** Deletes the account with all that hangs on it: time frames, permissions, and by the database the tokens. */
async function removeAthlete(ctx: Context, id: number, filters: Filters, run: Run): Promise<void> {
  const ofAthlete = eq(timeframes.athleteId, id);
  await removeInPortions(ctx.queries, ofAthlete, (limit) =>
    run(async (change, athlete) => {
      await requireMatch(change.queries, athlete, filters);
      await removeTimeframes(change, ofAthlete, { limit });
    }),
  );
  await run(async (change, athlete) => {
    await requireMatch(change.queries, athlete, filters);
    await removeTimeframes(change, ofAthlete);
    await removePermissions(change, eq(permissions.athleteId, id));
    await change.queries.delete(accounts).where(eq(accounts.id, id));
    await change.audit("account", id, null, null);
    await erasePerson(change, athlete);
  });
}

/** Deletes the caller's own account. */
export const deleteAthlete = (ctx: Context, { id }: Account, filters: Filters): Promise<void> =>
  removeAthlete(ctx, id, filters, (work) =>
    change(
      ctx,
      "deleteAthlete",
      { athlete: id },
      (change, { athlete }) => work(change, athlete),
      async (_change, { athlete }) => athleteItem(athlete),
    ),
  );

/** Deletes an athlete whom the caller manages. */
export const deleteManagedAthlete = (ctx: Context, { id }: Account, filters: Filters): Promise<void> =>
  removeAthlete(ctx, id, filters, (work) =>
    change(ctx, "deleteManagedAthlete", { athlete: id }, work, async (_change, athlete) =>
      athleteItem(athlete),
    ),
  );
