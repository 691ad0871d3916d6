import {
  individualZones,
  type MetricParameters,
  metricParameters,
  type ParameterOverrides,
  type PresetName,
} from "../metrics/index.js";
import type { Player } from "./roster.js";

/** The basis of individual zones: aerobic and maximum speed, or only maximum speed. */
export const ZONE_KINDS = ["asr", "mss"] as const;
export type ZoneKind = (typeof ZONE_KINDS)[number];

/** Returns whether the roster contains the speeds of a player that the zones require. */
export function hasZoneSpeeds(kind: ZoneKind, player: Player | null): boolean {
  return player?.maxSpeedMPerS != null && (kind === "mss" || player.aerobicSpeedMPerS !== null);
}

/**
 * Returns the individual zones of a player. Without the required speeds, zone limits and thresholds are set to the highest valid speed,
 * because a table must not mix figures with fixed and with individual limits.
 */
export function ownZones(
  kind: ZoneKind,
  player: Player | null,
  { preset = "soccer", params }: { preset?: PresetName | undefined; params?: ParameterOverrides | undefined },
): ParameterOverrides {
  if (hasZoneSpeeds(kind, player)) {
    const { maxSpeedMPerS: mss, aerobicSpeedMPerS: mas } = player as Player & { maxSpeedMPerS: number };
    return individualZones(kind, { mss, mas: mas ?? undefined });
  }
  const { max_valid_speed: highest } = metricParameters(preset, params);
  const fast = highest - 1;
  return { speed_ranges: [0, fast], sprint_threshold: highest, hid_thresholds: [fast, highest] };
}

/** Returns whether the parameters have usable zones, unlike those that `ownZones` returns for a player without speeds. */
export const hasZones = ({ speed_ranges, sprint_threshold, max_valid_speed }: MetricParameters): boolean =>
  speed_ranges.length > 2 || sprint_threshold < max_valid_speed;
