import type { SquadColumn } from "./columns.js";

/** Below this share of the period, sums and maxima are marked as "at least" *(choice)*. */
const COMPLETE_SHARE = 0.95;

/** The figures of a player in a period. */
interface Covered {
  /** Share of the period with data, 0 to 1; null for a player who did not play. */
  coverage: number | null;
}

/** Returns whether sums and maxima of a row miss more than a twentieth of the period. */
export function isIncomplete({ coverage }: Covered): boolean {
  return coverage !== null && coverage < COMPLETE_SHARE;
}

/** Returns whether a figure is only a lower bound if a part of the period is missing. The minutes are exact, because they are those with data. */
export const isBound = ({ key, kind }: SquadColumn): boolean =>
  (kind === "sum" && key !== "minutes") || key === "top_speed_km_per_h" || key === "hr_max_bpm";

/** Returns whether missing data may have lowered a figure of a row: a sum, such as the minutes with data, or a maximum, such as a peak. */
export const mayBeLowered = (row: Covered, column: SquadColumn): boolean =>
  isIncomplete(row) && (isBound(column) || column.key === "minutes" || column.key.startsWith("peak_"));
