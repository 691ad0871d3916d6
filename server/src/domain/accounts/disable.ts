import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { type Account, lockAccountByUsername } from "./find.js";
import { updateAccount } from "./write.js";

/**
 * Disables an account for the operator. Its tokens and sessions are refused, and nobody can log in to it. Its data and
 * sessions are kept, and the sessions work again when the account is enabled.
 * @throws ServiceError `not_found`
 */
export const disableAccount = (ctx: Context, username: string): Promise<Account> =>
  transact(ctx, "account disable", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    return account.disabledAt === null ? updateAccount(unit, account, { disabledAt: unit.now }) : account;
  });

/**
 * Enables a disabled account.
 * @throws ServiceError `not_found`
 */
export const enableAccount = (ctx: Context, username: string): Promise<Account> =>
  transact(ctx, "account enable", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    return account.disabledAt === null ? account : updateAccount(unit, account, { disabledAt: null });
  });
