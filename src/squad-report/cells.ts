import type { Metrics } from "../metrics/index.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { decimalText } from "../pictures/figure-text.js";
import type { DataShares } from "../squad/incomplete.js";
import { hasZones, isAtLeast, type SquadColumn, type SquadRow } from "../squad/index.js";

const wholeNumbers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * Formats a figure for tables: `–` if it is unknown, preceded by `≥` if a part of its signal is missing.
 *
 * @param row the row of the figure; absent for a mean or the highest of several rows
 */
export function cellText(column: SquadColumn, value: number | null, row?: DataShares | null): string {
  if (value === null) return "–";
  const text = column.decimals === 0 ? wholeNumbers.format(value) : decimalText(value, column.decimals);
  return row && isAtLeast(row, column) ? `≥${text}` : text;
}

/** Returns the unit with the threshold in use, if the threshold is the same for all rows. */
export function unitText({ key, unit }: SquadColumn, rows: readonly SquadRow[]): string {
  const thresholds = new Set(
    rows.flatMap(({ metrics }) =>
      metrics === null || !hasZones(metrics.definition.parameters) ? [] : [thresholdOf(key, metrics)],
    ),
  );
  const [threshold] = thresholds;
  if (threshold === undefined || threshold === null) return unit;
  return thresholds.size > 1 ? "own" : threshold;
}

/** Formats a speed in km/h: `25.2`. */
export const kmPerHText = (mPerS: number): string => String(Number((mPerS * KM_PER_H).toFixed(2)));

function thresholdOf(key: string, { definition: { parameters } }: Metrics): string | null {
  switch (key) {
    case "high_speed_m":
      return `≥${kmPerHText(parameters.hid_thresholds[1])}`;
    case "sprints":
    case "sprint_m":
      return `≥${kmPerHText(parameters.sprint_threshold)}`;
    case "accelerations":
      return `≥${parameters.acceleration_thresholds[0]}`;
    case "decelerations":
      return `≤−${Math.abs(parameters.deceleration_thresholds[0])}`;
    default:
      return null;
  }
}
