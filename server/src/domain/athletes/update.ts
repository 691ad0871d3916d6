import type { StaticDecode } from "@sinclair/typebox";
import { requireUser } from "../accounts/credential-changes.js";
import type { Account } from "../accounts/find.js";
import type { NewPassword } from "../accounts/resource.js";
import { athleteProfileColumns, requireAvailable, updateAccount } from "../accounts/write.js";
import { change, requireTag } from "../change/change.js";
import type { Context } from "../change/context.js";
import { enforcePictureQuota } from "../change/quotas.js";
import { changedPasswordHash, hashPassword } from "../secrets/passwords.js";
import type { AthleteUpdate, ManagedAthleteUpdate } from "./bodies.js";
import { requireSelf } from "./create.js";
import { type AthleteItem, athleteItem, type Filters, requireMatch } from "./list.js";

/** Changes the fields sent. The current password changes nothing. */
export async function updateAthlete(
  ctx: Context,
  athlete: Account,
  body: StaticDecode<typeof AthleteUpdate>,
  filters: Filters,
): Promise<AthleteItem> {
  if (body.password !== undefined) {
    requireTag(ctx, athleteItem(athlete));
    await requireMatch(ctx.queries, athlete, filters);
    await requireAvailable(
      ctx,
      "ATHLETE",
      { username: body.username, externalId: body.external_id },
      athlete,
    );
  }
  await requireUser(ctx, athlete, body);
  const passwordHash = await changedPasswordHash(
    ctx,
    athlete.passwordHash,
    body.password,
    body.username ?? athlete.username,
  );
  return change(
    ctx,
    "updateAthlete",
    { athlete: athlete.id },
    async (unit, { athlete: before }) => {
      await requireMatch(unit.queries, before, filters);
      const after = await updateAccount(unit, before, {
        username: body.username,
        email: body.email,
        externalId: body.external_id,
        passwordHash,
        ...athleteProfileColumns(body.athlete_profile),
      });
      return athleteItem(after);
    },
    async (_unit, target) => athleteItem(target.athlete),
  );
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

/** Sets a new password and ends every session. */
export async function changeAthletePassword(
  ctx: Context,
  athlete: Account,
  { password, current_password }: StaticDecode<typeof NewPassword>,
): Promise<void> {
  await requireUser(ctx, athlete, { password, current_password });
  const passwordHash = await hashPassword(ctx, password, athlete.username);
  await change(ctx, "changeAthletePassword", { athlete: athlete.id }, async (unit, before) => {
    await updateAccount(unit, before, { passwordHash });
  });
}
