import { sql } from "drizzle-orm";

/** The end of a lease that is over. The column has milliseconds, so the time itself could be rounded to one that is yet to come. */
export const ENDED = sql`clock_timestamp() - interval '1 millisecond'`;
