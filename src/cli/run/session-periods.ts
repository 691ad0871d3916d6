import { mainInterval, periodsOutside, type SquadRecording } from "../../squad/index.js";
import { readPeriods } from "../../squad/sheets.js";
import { instantFormat } from "../terminal/time-text.js";
import { sheetBytes } from "./squad-sheets.js";

export interface PeriodsChoice {
  /** The index of the session to which the periods belong; null if they belong to none. */
  index: number | null;
  /** Messages for the user. */
  text: string;
}

/**
 * Finds the session for a periods.csv in a folder with several sessions: the one that contains most of the periods. If no session contains
 * any of them, or several contain the same number, the choice is ambiguous.
 *
 * @param path null if there is no file
 * @returns null if there is no file, or only one session
 */
export function sessionOfPeriods(
  path: string | null,
  sessions: readonly (readonly SquadRecording[])[],
  players: readonly string[],
  timeZone: string | undefined,
): PeriodsChoice | null {
  if (path === null || sessions.length < 2) return null;
  const file = sheetBytes(path);
  const found = sessions.map((recordings, index) => {
    const session = mainInterval(recordings);
    const { periods } = readPeriods(file, { session, timeZone, players });
    const outside = periodsOutside(periods, session).map(({ name }) => name);
    return { index, within: periods.length - outside.length, outside };
  });
  const most = Math.max(...found.map(({ within }) => within));
  const fitting = found.filter(({ within }) => within > 0 && within === most);
  const [best] = fitting;
  const several = `${path}: the recordings are from ${sessions.length} sessions: ${sessions.map((session) => sessionText(session, timeZone)).join("; ")}.`;
  if (best !== undefined && fitting.length === 1) {
    const { index, outside } = best;
    const except = outside.length === 0 ? "" : `, except those outside of it: ${outside.join(", ")}`;
    return { index, text: `${several} Its periods belong to session ${index + 1}${except}` };
  }
  const reason =
    best === undefined
      ? "none of them contains a period"
      : `${fitting.length} of them contain the same number of periods`;
  return {
    index: null,
    text: `${several} The periods are not applied to any of them, because ${reason}. Name the files of one session, with --periods; or correct the clock of the outlying tracker`,
  };
}

function sessionText(recordings: readonly SquadRecording[], timeZone: string | undefined): string {
  const text = instantFormat(timeZone);
  const interval = mainInterval(recordings);
  const [first = "", ...others] = recordings.map(({ fileName }) => fileName);
  const names = others.length === 0 ? first : `${first} and ${others.length} more`;
  return `${text(interval.startMs)} to ${text(interval.endMs - 1)} (${names})`;
}
