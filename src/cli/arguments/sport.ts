import { InvalidArgumentError } from "commander";
import type { PresetName } from "../../metrics/index.js";
import { PRESETS } from "../../metrics/presets.js";

/** The presets by the names that --sport accepts: their own, and other common names of the sports. */
const SPORTS = new Map<string, PresetName>([
  ...(Object.keys(PRESETS) as PresetName[]).map((name): [string, PresetName] => [name, name]),
  ["football", "soccer"],
  ["football-women", "soccer-women"],
  ["football-fifa", "soccer-fifa"],
  ["cycling", "biking"],
  ["trail-running", "trailrunning"],
]);

/** The names in the help and in completions. */
export const SPORT_NAMES: readonly string[] = [...SPORTS.keys()];

/** The preset of a sport, by one of its names in upper or lower case. */
export function parseSport(text: string): PresetName {
  const preset = SPORTS.get(text.toLowerCase());
  if (preset === undefined) throw new InvalidArgumentError(`Use one of ${SPORT_NAMES.join(", ")}.`);
  return preset;
}
