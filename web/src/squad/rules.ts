/** Thresholds of the squad view. They are design decisions and do not derive from real data *(choice)*. */

/** The page shows a smaller share of the period next to the name. */
export const COMPLETE_SHARE = 0.99;

/** Means per minute include only players with at least this duration of data, ms. */
export const LEAST_PER_MINUTE_MS = 10 * 60_000;

/** Means per minute include players who are on the bench for at most this share of their minutes. */
export const MOST_BENCH_SHARE = 0.1;

/** Values that differ from the mean by more than this many standard deviations are marked, if there are at least this many values. */
export const OUTLIER = { deviations: 1.5, leastValues: 3 } as const;

/** Bars against a reference are full at this relative difference. */
export const AGAINST_RANGE = 0.4;

/** Speed at the upper end of the colour scale of strips and dots, km/h. The scale starts at 0. */
export const FASTEST_MEAN_KM_PER_H = 16;

/** If the share of the period with data is below this, its mark precedes that of joined recordings, and sums are marked "at least". */
export const MARKED_FIRST_SHARE = 0.95;

/** Slower positions are not used to locate the pitch, mm/s. */
export const MOVING_MM_PER_S = 1000;

/** The map shows a pitch if at least this share of the positions is on it. */
export const LEAST_ON_PITCH = 0.9;

/** Duration of the trail behind a player, ms. */
export const TRAIL_MS = 10_000;

/** The last colour of dots and tracks, km/h. */
export const FASTEST_KM_PER_H = 25;

/** The second of two halves begins at this minute, whatever the duration of the first one. */
export const HALF_MINUTES = 45;

/** Conditions for a wrong clock. */
export const WRONG_CLOCK = {
  /** Minimum number of other recordings. */
  leastOthers: 2,
  /** The time of the others consists of the instants at which this share of them has data. */
  otherShare: 0.3,
  /** A recording with at least this share in the time of the others has a correct clock. */
  insideShare: 0.98,
  /** A shift must increase the share of the recording in the time of the others by at least this. */
  gainedShare: 0.02,
  /** The shifted speeds must correlate with those of the others at least this well, and better than the original ones by this. */
  leastCorrelation: 0.5,
  gainedCorrelation: 0.15,
  /** Clocks of other zones differ by quarters of an hour up to this, other clocks by any time up to the second. */
  mostMs: 14 * 3_600_000,
  mostAnyMs: 2 * 3_600_000,
  /** A shift that is not a multiple of a quarter of an hour must score better by at least this. */
  betterScore: 0.1,
} as const;
