import type { Metrics } from "../metrics/metrics.js";
import { KM_PER_H } from "../metrics/rounding.js";

// Formats numbers for readers. `toFixed` rounds the binary value, which is slightly below many halves: 38.15 becomes 38.1.
// This function rounds the decimal digits in JSON half up, like `toLocaleString`, so that command, pictures and page agree.

/** Formats a number with a fixed number of decimals, without separators: `38.2`. */
export function decimalText(value: number, decimals: number): string {
  return value.toLocaleString("en", { ...digits(decimals), useGrouping: false });
}

/** Formats a share from 0 to 1 as a percentage with one decimal: `38.2 %`. */
export function percentText(share: number): string {
  // 100 * share is not computed, because 100 * 0.2835 is 28.349999999999998
  return share
    .toLocaleString("en", { ...digits(1), style: "percent", useGrouping: false })
    .replace("%", " %");
}

const digits = (decimals: number) => ({ minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** Describes the part of a recording with speeds that are impossible in its sport. Returns null if there is none. */
export function tooFastText({ too_fast: { samples, duration }, definition }: Metrics): string | null {
  if (samples === 0) return null;
  const limit = decimalText(definition.parameters.max_valid_speed * KM_PER_H, 1);
  const rows = `${samples.toLocaleString("en")} ${samples === 1 ? "row" : "rows"} (${decimalText(duration, 1)} s)`;
  return `${rows} faster than ${limit} km/h. Is the sport correct?`;
}

/** Formats a count: `2 rows`, `1 row`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** Maximum number of names in a message. */
export const MOST_NAMES = 8;

/** Lists names in a message; only the first ones if there are many. */
export function namesText(names: readonly string[]): string {
  const others = names.length - MOST_NAMES;
  return others > 0
    ? `${names.slice(0, MOST_NAMES).join(", ")} and ${count(others, "other")}`
    : names.join(", ");
}
