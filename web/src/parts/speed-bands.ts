import type { SpeedUnit } from "../view/settings.js";
import { decimal, speedFactor } from "../view/values.js";

/** The label of a class of speeds: 7.2–14.4, or 25.2+ for the last. */
export function bandLabel(
  { threshold_low, threshold_high }: { threshold_low: number; threshold_high: number },
  isLast: boolean,
  unit: SpeedUnit,
): string {
  const text = (speed: number) => {
    const value = speed * speedFactor(unit);
    return decimal(value, Math.abs(value - Math.round(value)) < 0.05 ? 0 : 1);
  };
  return isLast ? `${text(threshold_low)}+` : `${text(threshold_low)}–${text(threshold_high)}`;
}
