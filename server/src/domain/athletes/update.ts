import type { StaticDecode } from "@sinclair/typebox";
import type { Account } from "../accounts/find.js";
import { changeOwnAccount, prepareUpdate } from "../accounts/own-account.js";
import { athleteProfileColumns, updateAccount } from "../accounts/write.js";
import { change, requireTag } from "../change/change.js";
import type { Context } from "../change/context.js";
import { enforcePictureQuota } from "../change/quotas.js";
import type { AthleteUpdate, ManagedAthleteUpdate } from "./bodies.js";
import { requireSelf } from "./create.js";
import { type AthleteItem, athleteItem, type Filters, requireMatch } from "./list.js";

/** Changes the fields sent. */
export async function updateAthlete(
  ctx: Context,
  target: Account,
  body: StaticDecode<typeof AthleteUpdate>,
  filters: Filters,
): Promise<AthleteItem> {
  return changeOwnAccount(ctx, target, async (athlete, requireSame) => {
    if (body.password !== undefined) {
      requireTag(ctx, athleteItem(athlete));
      await requireMatch(ctx.queries, athlete, filters);
    }
    const { columns, isMailed } = await prepareUpdate(ctx, athlete, body);
    return change(
      ctx,
      "updateAthlete",
      { athlete: athlete.id },
      async (unit, { athlete: before }) => {
        requireSame(before);
        await requireMatch(unit.queries, before, filters);
        const profile = athleteProfileColumns(body.athlete_profile);
        return athleteItem(await updateAccount(unit, before, { ...columns, ...profile }, isMailed));
      },
      async (_unit, { athlete: before }) => athleteItem(before),
    );
  });
}

/** Changes the fields sent, for an athlete whom the caller manages. */
export async function updateManagedAthlete(
  ctx: Context,
  athlete: Account,
  body: StaticDecode<typeof ManagedAthleteUpdate>,
  filters: Filters,
): Promise<AthleteItem> {
  requireSelf(ctx, body.managed_by);
  return change(
    ctx,
    "updateManagedAthlete",
    { athlete: athlete.id },
    async (unit, before) => {
      await requireMatch(unit.queries, before, filters);
      const after = await updateAccount(unit, before, {
        externalId: body.external_id,
        ...athleteProfileColumns(body.athlete_profile),
      });
      const grows = (after.profilePicture?.length ?? 0) > (before.profilePicture?.length ?? 0);
      if (grows && after.managedBy !== null) await enforcePictureQuota(unit, after.managedBy);
      return athleteItem(after);
    },
    async (_unit, target) => athleteItem(target),
  );
}
