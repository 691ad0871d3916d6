import { type Account, lockAccountByUsername } from "../accounts/find.js";
import { updateAccount } from "../accounts/write.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";

/**
 * Allows a manager to create managed athletes; for the operator.
 * @throws ServiceError `not_found`; `invalid` on the field `username` when the account is not a manager
 */
export async function grantManagedAthletes(ctx: Context, username: string): Promise<Account> {
  return transact(ctx, "manager grant", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    if (account.role !== "MANAGER")
      throw errors.field("username", "The account does not belong to a manager.");
    return updateAccount(unit, account, { canCreateManagedAthletes: true });
  });
}
