import { type Account, findAccount } from "../accounts/find.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export const thatManager: Rule<"manager", Account> = {
  description: "The manager",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const account = await findAccount("MANAGER", ids.manager, lookup);
    if (account.id !== ctx.caller?.id) throw errors.forbidden();
    return account;
  },
};
