import { Type } from "@sinclair/typebox";
import { Id } from "../../wire/types.js";
import { accountFields, optionalFields, Password } from "../accounts/resource.js";

const { password, athlete_profile } = optionalFields;

export const NewAthlete = Type.Object({ ...accountFields, password, athlete_profile });

/** For PUT; absent fields do not change. */
export const AthleteReplacement = NewAthlete;
export const AthleteUpdate = Type.Partial(AthleteReplacement);

export const NewManagedAthlete = Type.Object({
  managed_by: Id({ description: "Your own id" }),
  external_id: accountFields.external_id,
  athlete_profile,
});

export const ManagedAthleteReplacement = NewManagedAthlete;
export const ManagedAthleteUpdate = Type.Partial(ManagedAthleteReplacement);

export const NewPassword = Type.Object({ password: Password });
