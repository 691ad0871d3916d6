import type { Metrics } from "asi-convert/metrics";
import type { SpeedUnit } from "../view/settings.js";
import { decimal, speedFactor } from "../view/values.js";

type Hid = Pick<Metrics, "hid">;

/** The high-intensity distance that is shown as one number: the distance above the higher threshold, m. */
export const highIntensityMetres = ({ hid_distance }: Pick<Metrics, "hid_distance">): number =>
  hid_distance.threshold_2;

/** The name of the figure with the threshold, if that is known and equal for all. */
export function highIntensityName(all: readonly Hid[], unit: SpeedUnit): string {
  const [threshold, ...others] = new Set(all.map(({ hid }) => hid.threshold_2.threshold));
  if (threshold === undefined || others.length > 0) return "High intensity";
  return `From ${decimal(threshold * speedFactor(unit), 1)} ${unit}`;
}
