import { InvalidArgumentError } from "commander";
import type { PresetName } from "../metrics/index.js";
import { PRESETS } from "../metrics/presets.js";

// What --sport accepts.

/** Other names of sports, as people call them. */
const ALIASES: Readonly<Record<string, PresetName>> = {
  football: "soccer",
  "football-women": "soccer-women",
  "football-fifa": "soccer-fifa",
  cycling: "biking",
  "trail-running": "trailrunning",
};

const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

/** For the help and completions. */
export const SPORT_NAMES: readonly string[] = [...PRESET_NAMES, ...Object.keys(ALIASES)];

/** The preset of a sport, by one of its names in upper or lower case. */
export function parseSport(text: string): PresetName {
  const name = text.toLowerCase();
  const preset = Object.hasOwn(ALIASES, name) ? ALIASES[name] : PRESET_NAMES.find((one) => one === name);
  if (preset === undefined) throw new InvalidArgumentError(`Use one of ${SPORT_NAMES.join(", ")}.`);
  return preset;
}
