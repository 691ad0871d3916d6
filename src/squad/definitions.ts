import { SQUAD_COLUMNS } from "./columns.js";

/** The definition of a figure. */
export interface FigureDefinition {
  /** Key in tables, files and APIs. */
  name: string;
  title: string;
  unit: string;
  definition: string;
}

/** One sentence for each figure; docs/metrics.md has all rules and the sources. */
const SENTENCES: Readonly<Record<string, string>> = {
  minutes: "Time with valid speeds, including standing and excluding gaps.",
  distance_m:
    "Sum of mean speed times duration over all pairs of successive rows, from the Doppler speed of the receiver. Standing and gaps add nothing.",
  rate_m_per_min: "Distance divided by the time with valid speeds.",
  high_speed_m:
    "Distance at or above the high-speed threshold (high_speed_from_m_per_s), regardless of duration.",
  sprints:
    "Runs of at least 1 s at or above the sprint threshold (sprint_from_m_per_s); two runs that are less than 0.5 s apart count as one.",
  sprint_m: "Distance of all sprints.",
  top_speed_km_per_h: "Highest speed after a median of three rows, which removes isolated spikes.",
  accelerations:
    "Efforts of at least 0.5 s above 0.5 m/s2 with a peak at or above the lower threshold (2 m/s2), after a low-pass filter at 2 Hz. Unknown if more than 5 % of the time has fewer than 5 rows a second.",
  decelerations: "Defined like accelerations, with the negated acceleration.",
  hr_mean_bpm:
    "Mean of the heart rates from 30 to 240, weighted by time; a heart rate is valid until the next one, for at most 5 s.",
  hr_max_bpm: "Highest heart rate in the range from 30 to 240.",
  trimp:
    "Training impulse after Edwards: each minute counts 0 to 5, depending on its share of the maximum heart rate. Time without a heart rate adds nothing.",
};

/**
 * Returns the definitions of the figures in a squad's table, in its order. This is a function so that bundles without a call omit the
 * texts.
 */
export const figureDefinitions = (): FigureDefinition[] =>
  SQUAD_COLUMNS.map(({ key, title, unit }) => ({
    name: key,
    title,
    unit,
    definition: SENTENCES[key] ?? "",
  }));
