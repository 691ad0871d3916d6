import { Type } from "@sinclair/typebox";
import { Id } from "../../wire/types.js";
import {
  accountFields,
  CurrentPassword,
  exampleAthleteProfile,
  optionalFields,
} from "../accounts/resource.js";

const { password, athlete_profile } = optionalFields;

const fields = { ...accountFields, password, athlete_profile };
const exampleAthlete = {
  username: "bea",
  email: "bea@example.org",
  athlete_profile: exampleAthleteProfile,
};

export const NewAthlete = Type.Object(fields, {
  examples: [{ ...exampleAthlete, password: "a long passphrase" }],
});

/** Body of PUT. Absent fields do not change. */
export const AthleteReplacement = Type.Object(
  { ...fields, current_password: CurrentPassword },
  { examples: [exampleAthlete] },
);
export const AthleteUpdate = Type.Partial(AthleteReplacement, {
  examples: [{ athlete_profile: { weight: 63 } }],
});

export const NewManagedAthlete = Type.Object(
  {
    managed_by: Id({ description: "Your own id" }),
    external_id: accountFields.external_id,
    athlete_profile,
  },
  { examples: [{ managed_by: 12, external_id: "club-0042", athlete_profile: exampleAthleteProfile }] },
);

export const ManagedAthleteReplacement = NewManagedAthlete;
export const ManagedAthleteUpdate = Type.Partial(ManagedAthleteReplacement, {
  examples: [{ athlete_profile: { weight: 63 } }],
});
