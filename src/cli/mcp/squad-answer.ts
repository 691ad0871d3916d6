import { figureDefinitions, nameKey, ZONE_KINDS, type ZoneKind } from "../../squad/index.js";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { squad } from "../run/squad.js";
import { SUGGESTED } from "../run/squad-options.js";
import { DescribedError } from "../terminal/problem.js";
import { boundedBytes, type FileInput, MAX_FILES } from "./folders.js";
import { RECIPE_NAMES, TIMES, timesOf } from "./recording-answer.js";
import { type Given, type Property, text, texts } from "./schema.js";
import { captured, type Surroundings } from "./tool.js";

/** The limit protects memory, because all recordings of a squad are in memory at once. */
const MAX_TOTAL_BYTES = 2 ** 31;

/** Arguments that select a session and the definitions of its figures. */
export const SESSION: Readonly<Record<string, Property>> = {
  folder: text("a folder with the recordings of one session"),
  periods: text(
    "file: the periods of periods.csv in the folder, if it exists; suggested: periods derived from common pauses; default file",
    ["file", "suggested"],
  ),
  tz: {
    ...(TIMES.tz as Property),
    description: "time zone of periods.csv, such as Europe/Zurich; default UTC",
  },
  sport: text("thresholds of this sport; default soccer", SPORT_NAMES),
  individual_zones: text(
    "individual limits of each player from the roster instead of fixed ones",
    ZONE_KINDS,
  ),
  recipes: texts("also count with these recipes from list_recipes", [1, 5], RECIPE_NAMES),
};

/** A line of `asi squad --format jsonl`. */
export type SquadLine = Readonly<Record<string, string | number | null>> & { player: string; period: string };

/**
 * Returns the table of `asi squad`.
 * @throws DescribedError if there is none
 */
export async function squadLines(
  given: Given,
  surroundings: Surroundings,
): Promise<{ source: object; lines: SquadLine[]; notices: string[] }> {
  const { folders } = surroundings;
  const folder = folders.folder(String(given.folder));
  const { files, refused } = folders.recordings(folder);
  await refuseMany(files);
  const beside = (name: string) => folders.beside(folder, name);
  const roster = beside("roster.csv");
  const areSuggested = given.periods === SUGGESTED;
  const periods = areSuggested ? undefined : beside("periods.csv");
  const flags = {
    format: "jsonl" as const,
    ...timesOf({ tz: given.tz }),
    ...(given.sport !== undefined && { sport: parseSport(String(given.sport)) }),
    ...(given.individual_zones !== undefined && { individualZones: given.individual_zones as ZoneKind }),
    ...(given.recipes !== undefined && { recipe: [...(given.recipes as string[])] }),
    ...(areSuggested && { periods: SUGGESTED }),
  };
  const paths = files.map(({ path }) => path);
  const { objects, messages } = await captured(surroundings, (context) =>
    squad(paths, flags, context, beside),
  );
  if (objects.length === 0)
    throw new DescribedError({
      error: { code: "NO_TABLE", message: messages.join(" ") || "There is no table." },
    });
  const links = refused.map((name) => `${name} is a link that leads out of the folders, and is ignored`);
  return {
    source: {
      folder: folders.nameOf(folder),
      recordings: files.map(({ name }) => name),
      roster: roster === undefined ? null : folders.nameOf(roster),
      periods: areSuggested ? SUGGESTED : periods === undefined ? null : folders.nameOf(periods),
      rules: "docs/squad.md, docs/metrics.md",
    },
    lines: objects as SquadLine[],
    notices: [...messages, ...links],
  };
}

/**
 * Refuses folders that are empty or too large.
 * @throws DescribedError for no recordings, too many recordings, or more than `mostBytes` bytes after decompression
 */
export async function refuseMany(files: readonly FileInput[], mostBytes = MAX_TOTAL_BYTES): Promise<void> {
  const refusal = (code: string, message: string) => new DescribedError({ error: { code, message } });
  if (files.length === 0)
    throw refusal("NO_INPUT", "This folder has no recordings. list_recordings shows where they are.");
  const tooMany = (found: string) =>
    refusal(
      "TOO_MANY_FILES",
      `The folder has ${found}; a table has at most ${MAX_FILES} recordings of ${mostBytes} bytes. Name the folder of one session.`,
    );
  if (files.length > MAX_FILES) throw tooMany(`${files.length} recordings`);
  let total = 0;
  for (const { path, bytes } of files) {
    total += await boundedBytes(path, bytes);
    if (total > mostBytes) throw tooMany(`more than ${mostBytes} bytes of recordings`);
  }
}

/** The definitions of the figures in rows. */
export const FIGURE_LIST = figureDefinitions();

/**
 * Returns the lines of a period or a player. The comparison of names ignores case and spaces.
 * @throws DescribedError with the known names if no line has this name
 */
export function linesNamed(
  lines: readonly SquadLine[],
  kind: "period" | "player",
  name: string,
): readonly [SquadLine, ...SquadLine[]] {
  const [first, ...others] = lines.filter((line) => nameKey(line[kind]) === nameKey(name));
  if (first !== undefined) return [first, ...others];
  const names = [...new Set(lines.map((line) => JSON.stringify(line[kind])))].join(", ");
  const message = `There is no ${kind} ${JSON.stringify(name)} in this session, but there are ${names}.`;
  throw new DescribedError({ error: { code: "UNKNOWN_NAME", message } });
}
