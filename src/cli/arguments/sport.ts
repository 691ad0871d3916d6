import { InvalidArgumentError } from "commander";
import type { PresetName } from "../../metrics/index.js";

/**
 * The presets by the names that --sport accepts: their own names, and other common names of the sports. The list is separate from the
 * presets, so that other commands need not load the code of the figures.
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

/** The names that the help and completions show. */
export const SPORT_NAMES: readonly string[] = [...SPORTS.keys()];

/** Returns the preset of a sport for one of its names, in upper or lower case. */
export function parseSport(text: string): PresetName {
  const preset = SPORTS.get(text.toLowerCase());
  if (preset === undefined) throw new InvalidArgumentError(`Use one of ${SPORT_NAMES.join(", ")}.`);
  return preset;
}
