import { inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isUnavailable } from "../../store/connection/database-errors.js";
import type { ReadReplica } from "../../store/connection/read-replica.js";
import { type SqlClient, sqlClientOf } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";
import type { Context } from "../change/context.js";

type Held = readonly { id: number; version: number }[];

/**
 * Reads from the replica if it is young enough, otherwise from the primary.
 *
 * The replica must know the ownerships on which the caller's right depends as the primary has them. Otherwise it might
 * still have samples of another owner, which were removed when that ownership ended.
 *
 * @returns what was read, and how old the state was from which it was read, ms
 */
export async function readFromReplica<T>(
  ctx: Context,
  replica: ReadReplica | undefined,
  held: Held,
  read: (client: SqlClient) => Promise<T>,
): Promise<{ page: T; ageMs: number }> {
  const source = replica?.current();
  if (source !== undefined) {
    try {
      if (await hasOwnerships(source.queries, held)) {
        return { page: await read(sqlClientOf(source.queries)), ageMs: source.ageMs };
      }
    } catch (error) {
      // It is away, or has cancelled the query in favour of its replay (PostgreSQL, "Handling Query Conflicts"). Other errors
      // are of this page alone, and the primary decides: it may know what the replica does not know yet.
      if (isUnavailable(error)) replica?.failed(error);
    }
  }
  return { page: await read(sqlClientOf(ctx.queries)), ageMs: 0 };
}

async function hasOwnerships(queries: Queries, held: Held): Promise<boolean> {
  const known = await queries
    .select({ id: ownerships.id, version: ownerships.version })
    .from(ownerships)
    .where(
      inArray(
        ownerships.id,
        held.map(({ id }) => id),
      ),
    );
  const versions = new Map(known.map(({ id, version }) => [id, version]));
  return held.every(({ id, version }) => versions.get(id) === version);
}
