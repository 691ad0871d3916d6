import { sql } from "drizzle-orm";

/**
 * End of an expired lease. One millisecond is subtracted, because the column has milliseconds and the current time could be
 * rounded up.
 */
export const ENDED = sql`clock_timestamp() - interval '1 millisecond'`;
