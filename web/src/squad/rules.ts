/** Numbers of the squad view that are choices, and not settled by real data *(choice)*. */

/** Periods with such names are the parts of a match. */
export const HALF_NAME = /\b(half|halves|halbzeit|hälfte|mi-temps|tempo|tiempo|quarter|viertel)\b/i;

/** A share of the period below this is told beside the name. */
export const COMPLETE_SHARE = 0.99;

/** Per minute, means count players with at least so much data, ms. */
export const LEAST_PER_MINUTE_MS = 10 * 60_000;

/** A mark tells values beyond so many standard deviations from the mean, from so many values on. */
export const OUTLIER = { deviations: 1.5, leastValues: 3 } as const;

/** Bars against a reference reach their end at so much more or less than it. */
export const AGAINST_RANGE = 0.4;

/** Colours of strips and dots go from standing to this, km/h. */
export const FASTEST_MEAN_KM_PER_H = 16;

/** A share of the period below this is marked before that two recordings are joined. Sums below it are marked "at least". */
export const MARKED_FIRST_SHARE = 0.95;
