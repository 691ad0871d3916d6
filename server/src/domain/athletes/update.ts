import type { StaticDecode } from "@sinclair/typebox";
import type { Account } from "../accounts/find.js";
import { athleteProfileColumns, sent, updateAccount } from "../accounts/store.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { hashPassword } from "../passwords.js";
import type {
  AthleteReplacement,
  AthleteUpdate,
  ManagedAthleteReplacement,
  ManagedAthleteUpdate,
} from "./bodies.js";
import { requireSelf } from "./create.js";
import { type AthleteItem, athleteItem, type Filters, requireMatch } from "./list.js";

/** Changes the fields sent. */
export async function updateAthlete(
  ctx: Context,
  athlete: Account,
  body: StaticDecode<typeof AthleteUpdate>,
  filters: Filters,
): Promise<AthleteItem> {
  const passwordHash =
    body.password === undefined
      ? undefined
      : await hashPassword(body.password, body.username ?? athlete.username);
  return change(
    ctx,
    "updateAthlete",
    { athlete: athlete.id },
    async (change, { athlete: before }) => {
      await requireMatch(change.queries, before, filters);
      const after = await updateAccount(change, before, {
        ...sent({ username: body.username, email: body.email, externalId: body.external_id, passwordHash }),
        ...athleteProfileColumns(body.athlete_profile),
      });
      return athleteItem(after);
    },
    async (_change, target) => athleteItem(target.athlete),
  );
}

/** Changes the fields sent of an athlete whom the caller manages. */
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
    async (change, before) => {
      await requireMatch(change.queries, before, filters);
      const after = await updateAccount(change, before, {
        ...sent({ externalId: body.external_id }),
        ...athleteProfileColumns(body.athlete_profile),
      });
      return athleteItem(after);
    },
    async (_change, target) => athleteItem(target),
  );
}

const EMPTY_PROFILE = {
  external_id: null,
  first_name: null,
  last_name: null,
  gender: null,
  weight: null,
  height: null,
  birth_date: null,
  nationality: null,
  profile_picture: null,
};

/** What a replacement does not name becomes null. The password, which no one can read back, stays. */
const completed = <B extends StaticDecode<typeof AthleteUpdate>>(body: B) => ({
  external_id: null,
  ...body,
  athlete_profile: { ...EMPTY_PROFILE, ...body.athlete_profile },
});

/** Changes every field. */
export const replaceAthlete = (
  ctx: Context,
  athlete: Account,
  body: StaticDecode<typeof AthleteReplacement>,
  filters: Filters,
) => updateAthlete(ctx, athlete, completed(body), filters);

/** Changes every field of an athlete whom the caller manages. */
export const replaceManagedAthlete = (
  ctx: Context,
  athlete: Account,
  body: StaticDecode<typeof ManagedAthleteReplacement>,
  filters: Filters,
) => updateManagedAthlete(ctx, athlete, completed(body), filters);

/** Sets a new password and ends every session. */
export async function changeAthletePassword(ctx: Context, athlete: Account, password: string): Promise<void> {
  const passwordHash = await hashPassword(password, athlete.username);
  await change(ctx, "changeAthletePassword", { athlete: athlete.id }, async (change, before) => {
    await updateAccount(change, before, { passwordHash });
  });
}
