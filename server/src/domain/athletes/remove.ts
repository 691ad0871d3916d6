import { eq } from "drizzle-orm";
import { accounts, permissions, timeframes } from "../../store/schema.js";
import { erasePerson } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { type Change, change } from "../change.js";
import type { Context } from "../context.js";
import { removePermissions } from "../permissions/revoke.js";
import { removeTimeframes } from "../timeframes/remove.js";
import { athleteItem, type Filters, requireMatch } from "./list.js";

/** Deletes the account with all that hangs on it: time frames, permissions, and by the database the tokens. */
async function removeAthlete(change: Change, athlete: Account, filters: Filters): Promise<void> {
  await requireMatch(change.queries, athlete, filters);
  await removeTimeframes(change, eq(timeframes.athleteId, athlete.id));
  await removePermissions(change, eq(permissions.athleteId, athlete.id));
  await change.queries.delete(accounts).where(eq(accounts.id, athlete.id));
  await change.audit("account", athlete.id, null, null);
  await erasePerson(change, athlete);
}

/** Deletes the caller's own account. */
export const deleteAthlete = (ctx: Context, { id }: Account, filters: Filters): Promise<void> =>
  change(
    ctx,
    "deleteAthlete",
    { athlete: id },
    (change, { athlete }) => removeAthlete(change, athlete, filters),
    async (_change, { athlete }) => athleteItem(athlete),
  );

/** Deletes an athlete whom the caller manages. */
export const deleteManagedAthlete = (ctx: Context, { id }: Account, filters: Filters): Promise<void> =>
  change(
    ctx,
    "deleteManagedAthlete",
    { athlete: id },
    (change, athlete) => removeAthlete(change, athlete, filters),
    async (_change, athlete) => athleteItem(athlete),
  );
