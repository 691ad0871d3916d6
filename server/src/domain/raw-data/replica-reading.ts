import { isDeepStrictEqual } from "node:util";
import { isUnavailable } from "../../store/connection/database-errors.js";
import type { ReadReplica } from "../../store/connection/read-replica.js";
import { type Interval, type SqlClient, sqlClientOf } from "../../store/samples/index.js";
import type { Context } from "../change/context.js";
import { type Owner, ownedTimes } from "../sample-ownership/owners.js";

/** Times of the samples to read, and their owner. */
interface Held extends Owner {
  within: Interval;
  times: readonly Interval[];
}

/**
 * Reads from the replica if it is recent enough, otherwise from the primary.
 *
 * The replica must have the same ownerships of the caller as the primary. Otherwise it might still contain samples of
 * another owner that were removed when that ownership ended.
 *
 * @returns the result, and the age of the database state, ms
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
      // The replica is unreachable or has cancelled the query because of a replay conflict (PostgreSQL, "Handling Query
      // Conflicts"). Other errors concern only this page. The primary, which may have newer data, then reads it.
      if (isUnavailable(error)) replica?.failed(error);
    }
  }
  return { page: await read(sqlClientOf(ctx.queries)), ageMs: 0 };
}
