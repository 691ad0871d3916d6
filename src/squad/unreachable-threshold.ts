import { KM_PER_H } from "../metrics/rounding.js";
import { decimalText } from "../pictures/figure-text.js";

/** Warns of a threshold above the highest valid speed, for example because its unit is wrong. Returns null if there is none. */
export function unreachableText({
  definition: { parameters },
}: {
  definition: {
    parameters: { sprint_threshold: number; hid_thresholds: readonly number[]; max_valid_speed: number };
  };
}): string | null {
  const { sprint_threshold, hid_thresholds, max_valid_speed } = parameters;
  const highest = Math.max(sprint_threshold, ...hid_thresholds);
  if (highest <= max_valid_speed) return null;
  const [threshold, limit] = [highest, max_valid_speed].map((speed) => decimalText(speed * KM_PER_H, 1));
  return `no row reaches the threshold of ${threshold} km/h, because rows faster than ${limit} km/h are not counted. Check the unit.`;
}
