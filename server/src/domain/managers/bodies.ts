import { Type } from "@sinclair/typebox";
import {
  accountFields,
  CurrentPassword,
  exampleAthleteProfile,
  optionalFields,
} from "../accounts/resource.js";

const { password, manager_profile, athlete_profile } = optionalFields;

const exampleName = { first_name: "Ann", last_name: "Ash" };

/** Body of PUT. Absent fields do not change. */
export const ManagerReplacement = Type.Object(
  { ...accountFields, password, current_password: CurrentPassword, manager_profile },
  { examples: [{ username: "ann", email: "ann@example.org", manager_profile: exampleName }] },
);

export const ManagerUpdate = Type.Partial(ManagerReplacement, {
  examples: [{ manager_profile: exampleName }],
});

export const NewManager = Type.Object(
  { ...accountFields, password, manager_profile, athlete_profile },
  {
    examples: [
      {
        username: "ann",
        email: "ann@example.org",
        password: "a long passphrase",
        manager_profile: exampleName,
        athlete_profile: exampleAthleteProfile,
      },
    ],
  },
);
