import { Type } from "@sinclair/typebox";
import { Id } from "../../wire/types.js";
import { AthleteProfileInput, accountFields, Password } from "../accounts/resource.js";

const athlete_profile = Type.Optional(AthleteProfileInput);

export const NewAthlete = Type.Object({
  ...accountFields,
  password: Type.Optional(Password),
  athlete_profile,
});

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
