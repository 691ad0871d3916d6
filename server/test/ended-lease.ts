import { sql } from "drizzle-orm";

/**
 * Time of an expired lease. It is one millisecond ago, because the column has milliseconds and the current time could be rounded
 * up.
 */
export const ENDED = sql`clock_timestamp() - interval '1 millisecond'`;
