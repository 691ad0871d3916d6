import { type SQL, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { MAX_LENGTH_DAYS } from "./wearers.js";

/**
 * Condition: the time frame in the row of `timeframes` overlaps one of the times. An index on the start finds the time frames near
 * the times, because a device can have hundreds of thousands at other times.
 * @param times a multirange
 */
export const overlaps = (times: SQL): SQL => sql`${timeframes.startTime} <= upper(${times})
  AND ${timeframes.startTime} >= lower(${times}) - ${`${MAX_LENGTH_DAYS} days`}::interval
  AND tstzrange(${timeframes.startTime}, ${timeframes.endTime}, '[]') && ${times}`;
