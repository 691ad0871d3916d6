import type { Metrics } from "asi-convert/metrics";
import { decimal, type SpeedUnit, speedFactor } from "../view/values.js";

/** Explanation of the figure, as in docs/metrics.md. */
export const MAX_SPEED_HINT =
  "Max speed is the highest speed after each speed has become the median of itself and its two neighbours. A single row, as in the CSV, can be faster.";

/** Returns the label of a speed class, such as 7.2–14.4. The last class has a label such as 25.2+. */
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

type Hid = Pick<Metrics, "hid">;

/** Returns the distance above the higher threshold, m. The page shows it as high-intensity distance. */
export const highIntensityMetres = ({ hid_distance }: Pick<Metrics, "hid_distance">): number =>
  hid_distance.threshold_2;

/** Returns the name of the figure. The name contains the threshold if that is known and equal for all. */
export function highIntensityName(all: readonly Hid[], unit: SpeedUnit): string {
  const [threshold, ...others] = new Set(all.map(({ hid }) => hid.threshold_2.threshold));
  if (threshold === undefined || others.length > 0) return "High intensity";
  return `From ${decimal(threshold * speedFactor(unit), 1)} ${unit}`;
}
