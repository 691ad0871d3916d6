import type { StaticDecode } from "@sinclair/typebox";
import { insertManagedAthlete } from "../accounts/managed-athlete.js";
import { prepareRegistration } from "../accounts/own-account.js";
import { athleteProfileColumns } from "../accounts/write.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceAthleteQuota, enforcePictureQuota } from "../change/quotas.js";
import type { NewAthlete, NewManagedAthlete } from "./bodies.js";
import { type AthleteItem, athleteItem } from "./list.js";

/** Registers an athlete and emails the credentials. */
export async function createAthlete(
  ctx: Context,
  body: StaticDecode<typeof NewAthlete>,
): Promise<AthleteItem> {
  const register = await prepareRegistration(ctx, "ATHLETE", body);
  return change(ctx, "createAthlete", {}, async (unit) =>
    athleteItem(await register(unit, athleteProfileColumns(body.athlete_profile))),
  );
}

/** @throws ServiceError `forbidden` when the body names a manager other than the caller */
export function requireSelf({ caller }: Context, managedBy: number | undefined): void {
  if (managedBy !== undefined && managedBy !== caller?.id) {
    throw errors.forbidden("managed_by must be your own id.");
  }
}

/** Creates an athlete who does not log in, managed by the caller; the caller gets READ, WRITE and SHARE. */
export async function createManagedAthlete(
  ctx: Context,
  body: StaticDecode<typeof NewManagedAthlete>,
): Promise<AthleteItem> {
  requireSelf(ctx, body.managed_by);
  return change(ctx, "createManagedAthlete", {}, async (unit) => {
    const athlete = await insertManagedAthlete(unit, body.managed_by, {
      externalId: body.external_id ?? null,
      ...athleteProfileColumns(body.athlete_profile),
    });
    await enforceAthleteQuota(unit, body.managed_by);
    if (athlete.profilePicture !== null) await enforcePictureQuota(unit, body.managed_by);
    return athleteItem(athlete);
  });
}
