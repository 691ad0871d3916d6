import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { overlaps, rangesNear } from "../sample-ownership/overlapping-frames.js";

/** Number of time frames that one transaction marks. It is limited, because other transactions wait for this one. */
const MARKED_AT_A_TIME = 200;

/**
 * Number of time frames of a device that are read for this, and number of ranges of starts in which they are read: at most this many in each
 * range. Most changes affect one or two ranges with fewer time frames.
 */
const READ_AT_A_TIME = 500;
const RANGES_AT_A_TIME = 10;

/** The cause of a change, which determines its time frames. */
export type Cause =
  | { athleteId: number }
  | { activityId: number }
  | { deviceId: number; ownerId: number | null; times: SQL };

/** All time frames of a change up to this one are marked. Those of a device are in the order of their start and id, others of their id. */
export interface Position {
  /** An instant as text; null unless a device has changed. */
  start: string | null;
  id: number;
}

export const beginningOf = (cause: Cause): Position => ({
  start: "deviceId" in cause ? "-infinity" : null,
  id: 0,
});

/**
 * Items of WITH: `chosen`, the next time frames that a change affects, and `next`, the position with which to continue. `next` is empty if there
 * are no more.
 */
export function affectedAfter(cause: Cause, after: Position): SQL {
  if ("deviceId" in cause) return ofDevice(cause, after);
  const isOfCause =
    "athleteId" in cause
      ? eq(timeframes.athleteId, cause.athleteId)
      : eq(timeframes.activityId, cause.activityId);
  return sql`chosen AS MATERIALIZED (
      SELECT id, owner_id FROM ${timeframes} WHERE ${and(isOfCause, gt(timeframes.id, after.id))}
      ORDER BY id LIMIT ${MARKED_AT_A_TIME}
    ), next AS (SELECT NULL::timestamptz AS start, id FROM chosen ORDER BY id OFFSET ${MARKED_AT_A_TIME - 1})`;
}

/**
 * Begins to read after the position, so that the number of time frames read does not depend on how many the device has: without
 * `greatest`, PostgreSQL could begin at the start of the range.
 */
function ofDevice(
  { deviceId, ownerId, times }: Extract<Cause, { deviceId: number }>,
  { start, id }: Position,
): SQL {
  const from = sql`${start}::timestamptz`;
  const isOfOwner = ownerId === null ? undefined : eq(timeframes.ownerId, ownerId);
  return sql`near AS MATERIALIZED (
      SELECT starts, row_number() OVER (ORDER BY starts) AS number FROM ${rangesNear(times, from)}
      ORDER BY number LIMIT ${RANGES_AT_A_TIME + 1}
    ), read AS MATERIALIZED (
      SELECT one.* FROM near CROSS JOIN LATERAL (
        SELECT id, owner_id, start_time, end_time FROM ${timeframes} WHERE ${timeframes.deviceId} = ${deviceId}
          AND ${timeframes.startTime} >= greatest(lower(near.starts), ${from}) AND ${timeframes.startTime} <= upper(near.starts)
          AND (${timeframes.startTime}, ${timeframes.id}) > (${from}, ${id}::bigint)
        ORDER BY start_time, id LIMIT ${READ_AT_A_TIME}
      ) AS one WHERE near.number <= ${RANGES_AT_A_TIME}
      ORDER BY start_time, id LIMIT ${READ_AT_A_TIME}
    ), chosen AS MATERIALIZED (
      SELECT id, owner_id, start_time FROM read AS timeframes WHERE ${and(isOfOwner, overlaps(times))}
      ORDER BY start_time, id LIMIT ${MARKED_AT_A_TIME}
    ), next AS (
      (SELECT start_time AS start, id FROM chosen ORDER BY start_time, id OFFSET ${MARKED_AT_A_TIME - 1})
      UNION ALL (SELECT start_time, id FROM read ORDER BY start_time, id OFFSET ${READ_AT_A_TIME - 1})
      UNION ALL SELECT lower(starts), 0 FROM near WHERE number > ${RANGES_AT_A_TIME}
      ORDER BY start, id LIMIT 1
    )`;
}
