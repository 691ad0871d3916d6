import { InvalidArgumentError } from "commander";
import type { PresetName } from "../../metrics/index.js";

/**
 * The presets by the names that --sport accepts: their own, and other common names of the sports. A separate list, so that other
 * commands need not load the figures for it.
 */
const PRESETS = {
  biking: "biking",
  running: "running",
  soccer: "soccer",
  "soccer-women": "soccer-women",
  "soccer-fifa": "soccer-fifa",
  swimming: "swimming",
  trailrunning: "trailrunning",
  triathlon: "triathlon",
  football: "soccer",
  "football-women": "soccer-women",
  "football-fifa": "soccer-fifa",
  cycling: "biking",
  "trail-running": "trailrunning",
} satisfies Record<PresetName, PresetName> & Record<string, PresetName>;

const SPORTS = new Map<string, PresetName>(Object.entries(PRESETS));

/** The names in the help and in completions. */
export const SPORT_NAMES: readonly string[] = [...SPORTS.keys()];

/** The preset of a sport, by one of its names in upper or lower case. */
export function parseSport(text: string): PresetName {
  const preset = SPORTS.get(text.toLowerCase());
  if (preset === undefined) throw new InvalidArgumentError(`Use one of ${SPORT_NAMES.join(", ")}.`);
  return preset;
}
