import { isDeepStrictEqual } from "node:util";
import { isUnavailable } from "../../store/connection/database-errors.js";
import type { ReadReplica } from "../../store/connection/read-replica.js";
import { type Interval, type SqlClient, sqlClientOf } from "../../store/samples/index.js";
import type { Context } from "../change/context.js";
import { type Owner, ownedTimes } from "../sample-ownership/owners.js";

/** The times whose samples are read, and of whom. */
interface Held extends Owner {
  within: Interval;
  times: readonly Interval[];
}

/**
 * Reads from the replica if it is young enough, otherwise from the primary.
 *
 * The replica must know the times at which the caller owned the device as the primary has them. Otherwise it might
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
      if (isDeepStrictEqual(await ownedTimes(source.queries, held, held.within), held.times)) {
        return { page: await read(sqlClientOf(source.queries)), ageMs: source.ageMs };
      }
    } catch (error) {
      // It is unreachable, or has cancelled the query in favour of its replay (PostgreSQL, "Handling Query Conflicts"). Other errors
      // are of this page alone, and the primary decides: it may know what the replica does not know yet.
      if (isUnavailable(error)) replica?.failed(error);
    }
  }
  return { page: await read(sqlClientOf(ctx.queries)), ageMs: 0 };
}
