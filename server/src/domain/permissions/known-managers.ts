import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, isNull } from "drizzle-orm";
import { accounts, knownManagers } from "../../store/schema.js";
import { Id, Nullable, Text } from "../../wire/types.js";
import { usernameKey } from "../accounts/usernames.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { listPage, orderBy, type Paging } from "../lists/listing.js";

export const KnownManager = Type.Object(
  {
    id: Type.Integer(),
    username: Type.String(),
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
  },
  {
    $id: "KnownManager",
    examples: [{ id: 12, username: "ann", first_name: "Ann", last_name: "Ash" }],
  },
);

export const WantedManager = Type.Object(
  {
    manager: Id({ description: "The number of the manager" }),
    username: Text({ minLength: 1, description: "The username of the manager" }),
  },
  { examples: [{ manager: 12, username: "ann" }] },
);

const columns = {
  id: accounts.id,
  username: accounts.username,
  first_name: accounts.firstName,
  last_name: accounts.lastName,
};

/**
 * Identifies a manager for an athlete. Number and username must both be correct, and every wrong pair gets the same
 * response, so nobody can enumerate names or numbers.
 * @throws ServiceError `manager_not_found`
 */
export const findManager = (
  ctx: Context,
  athlete: number,
  { manager, username }: StaticDecode<typeof WantedManager>,
) =>
  change(ctx, "findManager", { athlete }, async ({ queries, audit }) => {
    const [found] = await queries
      .select(columns)
      .from(accounts)
      .where(
        and(
          eq(accounts.id, manager),
          eq(accounts.role, "MANAGER"),
          eq(accounts.usernameKey, usernameKey(username.trim())),
          isNull(accounts.disabledAt),
        ),
      );
    if (found === undefined) {
      const problem = "There is no manager with this number and username.";
      throw errors.field("username", problem, "manager_not_found");
    }
    const added = await queries
      .insert(knownManagers)
      .values({ athleteId: athlete, managerId: found.id })
      .onConflictDoNothing()
      .returning();
    if (added.length > 0) await audit("account", athlete, null, { managerId: found.id });
    return found;
  });

/** Lists the managers whom the athlete has looked up, with their current names. */
export async function listKnownManagers({ queries }: Context, athlete: number, query: Paging) {
  const matching = queries
    .select(columns)
    .from(knownManagers)
    .innerJoin(accounts, eq(accounts.id, knownManagers.managerId))
    .where(eq(knownManagers.athleteId, athlete))
    .$dynamic();
  return listPage(queries, matching, orderBy(undefined, {}, accounts.id), query, (row) => row);
}
