import { Type } from "@sinclair/typebox";
import { accountFields, optionalFields, Password } from "../accounts/resource.js";

const { password, manager_profile, athlete_profile } = optionalFields;

/** For PUT; absent fields do not change. */
export const ManagerReplacement = Type.Object({ ...accountFields, password, manager_profile });

export const ManagerUpdate = Type.Partial(ManagerReplacement);

export const NewManager = Type.Object({ ...accountFields, password, manager_profile, athlete_profile });

export const NewPassword = Type.Object({ password: Password });
