import { and, eq } from "drizzle-orm";
import { accounts } from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import { toAuthenticatedAccount, toManager } from "../accounts/resource.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";

export const managerItem = (account: Account): Item<ReturnType<typeof toManager>> =>
  item(toManager(account), account.version);

/** Returns the caller's own account. */
export async function retrieveAccount(
  ctx: Context,
): Promise<Item<ReturnType<typeof toAuthenticatedAccount>>> {
  const [account] = await ctx.queries
    .select()
    .from(accounts)
    .where(eq(accounts.id, ctx.caller?.id ?? 0));
  if (account === undefined) throw errors.unauthenticated(true);
  return item(toAuthenticatedAccount(account), account.version);
}

/** Finds the manager with this external id, who must be the caller. */
export async function retrieveManagerByExternalId(ctx: Context, externalId: string) {
  const [account] = await ctx.queries
    .select()
    .from(accounts)
    .where(and(eq(accounts.role, "MANAGER"), eq(accounts.externalId, externalId)));
  if (account === undefined) throw errors.notFound();
  if (account.id !== ctx.caller?.id) throw errors.forbidden();
  return managerItem(account);
}
