import { isDeepStrictEqual } from "node:util";
import { isUnavailable } from "../../store/connection/database-errors.js";
import type { ReadReplica } from "../../store/connection/read-replica.js";
import { type Interval, type SqlClient, sqlClientOf } from "../../store/samples/index.js";
import type { Context } from "../change/context.js";
import type { Owner } from "../sample-ownership/owners.js";
import { type HeldSamples, heldSamples } from "./held-samples.js";

/** The samples to read. */
interface Wanted {
  owner: Owner;
  within: Interval;
  held: HeldSamples;
}

/**
 * Reads from the replica if it is recent enough, otherwise from the primary.
 *
 * The replica must have the same ownerships of the caller as the primary, and the same changes to the samples. Otherwise it might
 * still contain samples of another owner that were removed when that ownership ended, or lack new samples.
 *
 * @returns the result, and the age of the database state, ms
 */
export async function readFromReplica<T>(
  ctx: Context,
  replica: ReadReplica | undefined,
  { owner, within, held }: Wanted,
  read: (client: SqlClient) => Promise<T>,
): Promise<{ page: T; ageMs: number }> {
  const source = replica?.current();
  if (source !== undefined) {
    try {
      if (isDeepStrictEqual(await heldSamples(source.queries, owner, within), held)) {
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
