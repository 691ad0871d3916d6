import type { Metrics } from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";
import { hasZones } from "./own-zones.js";

/** The limits on which figures depend. Sessions with different limits are not compared. */
export interface FigureLimits {
  /** Null for a player without individual zones in a season with individual zones. */
  high_speed_from_m_per_s: number | null;
  sprint_from_m_per_s: number | null;
  /** Null if it is estimated from the age, or unknown. Absent for readers without access to heart data. */
  max_hr?: number | null | undefined;
}

/** Returns the limits of figures; null without data. */
export function limitsOf(definition: Metrics["definition"] | undefined | null): FigureLimits | null {
  if (!definition) return null;
  const { hid_thresholds, sprint_threshold, max_hr } = definition.parameters;
  const isZoned = hasZones(definition.parameters);
  return {
    high_speed_from_m_per_s: isZoned ? hid_thresholds[1] : null,
    sprint_from_m_per_s: isZoned ? sprint_threshold : null,
    max_hr,
  };
}

/** The limits by the keys of the figures that depend on them. */
const LIMITS: Readonly<Record<string, keyof FigureLimits>> = {
  high_speed_m: "high_speed_from_m_per_s",
  sprints: "sprint_from_m_per_s",
  sprint_m: "sprint_from_m_per_s",
  trimp: "max_hr",
};

/** Returns whether a figure has the same limit with other limits; true if some are unknown. */
export function hasSameLimit(
  { key }: SquadColumn,
  a: FigureLimits | null | undefined,
  b: FigureLimits | null | undefined,
): boolean {
  const limit = LIMITS[key.replace(/^peak_\d+s_/, "")];
  return limit === undefined || !a || !b || a[limit] === b[limit];
}
