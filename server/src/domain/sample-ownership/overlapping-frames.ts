import { type SQL, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { MAX_LENGTH_DAYS } from "./wearers.js";

/**
 * Item of FROM: the disjoint ranges, ascending, in which a time frame begins if it overlaps one of the times. An index on the start finds the
 * time frames, because a device can have hundreds of thousands at other times, also between two of the times.
 * @param times a multirange
 * @param from ignores times that end before
 */
export const rangesNear = (times: SQL, from: SQL = sql`'-infinity'`): SQL => sql`unnest(ARRAY(
    SELECT unnest(range_agg(tstzrange(lower(one) - ${`${MAX_LENGTH_DAYS} days`}::interval, upper(one), '[]')))
    FROM unnest(${times}) AS one WHERE upper(one) >= ${from}
  )) AS near (starts)`;

/** Condition: the row of `timeframes` overlaps one of the times. */
export const overlaps = (times: SQL): SQL =>
  sql`tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && ${times}`;

/** Item of FROM: the rows of `timeframes` of a device that overlap one of the times, each once. */
export const overlapping = (deviceId: number, times: SQL): SQL => sql`${rangesNear(times)}
  CROSS JOIN LATERAL (
    SELECT * FROM ${timeframes} WHERE ${timeframes.deviceId} = ${deviceId}
      AND ${timeframes.startTime} >= lower(near.starts) AND ${timeframes.startTime} <= upper(near.starts)
      AND ${overlaps(times)}
    -- PostgreSQL would otherwise expect so many rows that it reads all time frames of the device
    OFFSET 0
  ) AS timeframes`;
