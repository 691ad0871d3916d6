import { type SQL, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { MAX_LENGTH_DAYS } from "./wearers.js";

/**
 * Item of FROM: the rows of `timeframes` of a device that overlap one of the times, each once. An index on the start finds them near each
 * of the times, because a device can have hundreds of thousands of time frames at other times, also between two of the times.
 * @param times a multirange
 * @param wanted a condition on the rows, which is checked before their times
 */
export const overlapping = (deviceId: number, times: SQL, wanted: SQL = sql`true`): SQL => sql`unnest(ARRAY(
    SELECT unnest(range_agg(tstzrange(lower(one) - ${`${MAX_LENGTH_DAYS} days`}::interval, upper(one), '[]')))
    FROM unnest(${times}) AS one
  )) AS near (starts)
  CROSS JOIN LATERAL (
    SELECT * FROM ${timeframes} WHERE ${timeframes.deviceId} = ${deviceId}
      AND ${timeframes.startTime} >= lower(near.starts) AND ${timeframes.startTime} <= upper(near.starts)
      AND ${wanted}
      AND tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && ${times}
    -- PostgreSQL would otherwise expect so many rows that it reads all time frames of the device
    OFFSET 0
  ) AS timeframes`;
