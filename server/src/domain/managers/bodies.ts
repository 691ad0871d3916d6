import { Type } from "@sinclair/typebox";
import { AthleteProfileInput, accountFields, ManagerProfileInput, Password } from "../accounts/resource.js";

const optional = {
  password: Type.Optional(Password),
  manager_profile: Type.Optional(ManagerProfileInput),
};

export const ManagerReplacement = Type.Object({ ...accountFields, ...optional });

export const ManagerUpdate = Type.Partial(ManagerReplacement);

export const NewManager = Type.Object({
  ...accountFields,
  ...optional,
  athlete_profile: Type.Optional(AthleteProfileInput),
});

export const NewPassword = Type.Object({ password: Password });
