import { sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Interval, intervalsIn } from "../../store/samples/index.js";
import { type ChangeKind, changes } from "../../store/schema.js";
import { DAY_MS } from "../change/daily-bytes.js";
import { type Owner, textOfOwnedTimes } from "../sample-ownership/owners.js";

/** What determines the samples that an owner can read. */
export interface HeldSamples {
  /** Times within an interval at which the owner owned the device: closed, ascending, disjoint. */
  times: Interval[];
  /** Differs after each change to the samples of the owner on these days (UTC), as recorded in the change log. */
  state: string;
}

const SAMPLES: ChangeKind = "samples";

const dayOf = (timeMs: number) => Math.floor(timeMs / DAY_MS);

/**
 * Reads what determines the samples of an owner. Read it before the samples. The state consists of the numbers of the changes, which
 * never repeat. The highest of them is not enough, because a change can end after one with a higher number.
 */
export async function heldSamples(queries: Queries, owner: Owner, within: Interval): Promise<HeldSamples> {
  const { rows } = await queries.execute<{ times: string; state: string | null }>(sql`
    SELECT ${textOfOwnedTimes(owner, within)} AS times, (
      SELECT string_agg(seq::text, ',' ORDER BY day) FROM ${changes}
      WHERE account_id = ${owner.ownerId} AND kind = ${SAMPLES} AND object_id = ${owner.deviceId}
        AND day BETWEEN ${dayOf(within.startMs)} AND ${dayOf(within.stopMs)}
    ) AS state`);
  return { times: intervalsIn(rows[0]?.times ?? "[]"), state: rows[0]?.state ?? "" };
}
