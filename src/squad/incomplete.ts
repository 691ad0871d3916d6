/** What determines the signal of a figure. */
interface Figure {
  key: string;
  unit: string;
  kind: "sum" | "level";
}

/** Below this share, sums and maxima are marked as "at least" *(choice)*. */
const COMPLETE_SHARE = 0.95;

/** Below this share, a session has no load: it would look like a lighter session *(choice)*. */
const LOAD_SHARE = 0.9;

/** The shares of a row with data. */
export interface DataShares {
  /** Share of the period with data, 0 to 1; null if the player does not take part. */
  coverage: number | null;
  /** Share of the recorded time with a heart rate, 0 to 1; null if there are no data. */
  hrCoverage: number | null;
}

/** Returns the share of the period with a heart rate, 0 to 1; null if it is unknown. */
export const periodShareWithHr = ({ coverage, hrCoverage }: DataShares): number | null =>
  hrCoverage === null ? null : (coverage ?? 1) * hrCoverage;

/**
 * Returns the share of the period with the signal from which a figure is computed, 0 to 1; null if it is unknown. A strap can fail while
 * the tracker records positions.
 */
export function signalShare(row: DataShares, { key, unit }: Figure): number | null {
  const isOfHeart = unit === "bpm" || key === "trimp";
  return (isOfHeart ? periodShareWithHr(row) : null) ?? row.coverage;
}

/** Returns whether a share is too small for complete sums and maxima. */
export const isIncomplete = (share: number | null): share is number =>
  share !== null && share < COMPLETE_SHARE;

/** Returns whether a share is large enough for the load of a session, which can be a lower bound. */
export const hasLoad = (share: number | null): boolean => share === null || share >= LOAD_SHARE;

/** Returns whether a figure is only a lower bound if a part of its signal is missing. The minutes are exact, because they are those with data. */
const isBound = ({ key, kind }: Figure): boolean =>
  (kind === "sum" && key !== "minutes") || key === "top_speed_km_per_h" || key === "hr_max_bpm";

/** Returns whether a figure is marked as "at least": a sum or a maximum that misses more than a twentieth of its signal. */
export const isAtLeast = (row: DataShares, column: Figure): boolean =>
  isBound(column) && isIncomplete(signalShare(row, column));
