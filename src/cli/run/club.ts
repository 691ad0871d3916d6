import { basename } from "node:path";
import {
  distinctNames,
  type Interval,
  playerNameOf,
  type Roster,
  type SessionPeriod,
} from "../../squad/index.js";
import { readPeriods, readRoster } from "../../squad/sheets.js";
import type { TimeBound } from "../arguments/time-bounds.js";
import type { Context } from "../batch/batch.js";
import type { Input } from "../batch/inputs.js";
import { DescribedError } from "../terminal/problem.js";
import { UsageError } from "../terminal/usage-error.js";
import { readSheetFile, sheetBytes, tellProblems } from "./squad-sheets.js";

/** Options that name the files of a club. */
export interface ClubFlags {
  roster?: string;
  periods?: string;
}

/** The roster and the periods, in a form that can be sent to worker threads. */
export interface Club {
  roster: Roster | null;
  /** The names of players who are not in the roster, by the names of their inputs. */
  names: ReadonlyMap<string, string>;
  periods: {
    path: string;
    file: Uint8Array;
    timeZone: string | undefined;
    players: readonly string[];
  } | null;
}

/**
 * Reads the roster and finds the periods that the options name. Returns null after printing the error if the roster cannot be read. Periods
 * are read for each recording, because the recording determines the day of their times.
 */
export function clubOf(
  { roster: path, periods, tz, from, to }: ClubFlags & { tz?: string; from?: TimeBound; to?: TimeBound },
  inputs: readonly Input[],
  context: Context,
): Club | null {
  if (periods !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError("Give either --periods, or --from and --to.");
  const sheet = path === undefined ? null : readSheetFile(path, readRoster);
  if (sheet !== null && tellProblems(sheet.lines, context)) return null;
  const roster = sheet?.roster ?? null;
  const inRoster = roster?.players.map(({ name }) => name) ?? [];
  const ofFiles = distinctNames(
    inputs.map(({ name }) => ({ name: playerNameOf(basename(name)), mark: name })),
    inRoster,
  );
  // a row may name any player, not only the player of one recording
  const players = [...inRoster, ...ofFiles];
  return {
    roster,
    names: new Map(inputs.map(({ name }, i) => [name, ofFiles[i] ?? ""])),
    periods:
      periods === undefined ? null : { path: periods, file: sheetBytes(periods), timeZone: tz, players },
  };
}

/**
 * Reads the periods of a recording.
 * @throws DescribedError with the line if they cannot be read
 */
export function periodsFor({ periods }: Club, session: Interval): SessionPeriod[] {
  if (periods === null) return [];
  const { path, file, timeZone, players } = periods;
  const { periods: found, problems } = readPeriods(file, { session, timeZone, players });
  const [first] = problems;
  if (first === undefined) return found;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  const message = `${path}, line ${first.line}: ${first.message}${more}`;
  throw new DescribedError({ error: { code: "BAD_PERIODS", message } });
}
