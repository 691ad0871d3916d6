import { and, eq } from "drizzle-orm";
import { accounts, type Role } from "../../store/schema.js";
import { errors } from "../errors.js";
import type { Lookup } from "../rule.js";

export type Account = typeof accounts.$inferSelect;

/**
 * The account with this id, in this role.
 * @throws ServiceError `not_found`
 */
export async function findAccount(role: Role, id: number, { queries, lock }: Lookup): Promise<Account> {
  const query = queries
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.role, role)));
  const [account] = await (lock ? query.for("update") : query);
  if (account === undefined) throw errors.notFound();
  return account;
}

export const findAthlete = (id: number, lookup: Lookup): Promise<Account> =>
  findAccount("ATHLETE", id, lookup);
