import { readFileSync } from "node:fs";
import { mainInterval, periodsOutside, type SquadRecording } from "../../squad/index.js";
import { readPeriods } from "../../squad/sheets.js";
import { instantFormat } from "../terminal/time-text.js";

export interface PeriodsChoice {
  /** The index of the session with the periods; null: they apply to none. */
  index: number | null;
  /** Messages for the user. */
  text: string;
}

/**
 * Finds the session for a periods.csv in the folder of several sessions: the session that contains all its periods. If no session does,
 * or several do, the choice is ambiguous.
 *
 * @param path null if there is no file
 * @returns null if there is no choice: no file, or only one session
 */
export function sessionOfPeriods(
  path: string | null,
  sessions: readonly (readonly SquadRecording[])[],
  players: readonly string[],
  timeZone: string | undefined,
): PeriodsChoice | null {
  if (path === null || sessions.length < 2) return null;
  const file = readFileSync(path);
  const fitting = sessions.flatMap((recordings, index) => {
    const session = mainInterval(recordings);
    const { periods } = readPeriods(file, { session, timeZone, players });
    return periods.length > 0 && periodsOutside(periods, session).length === 0 ? [index] : [];
  });
  const [index = null] = fitting;
  const several = `${path}: the recordings are of ${sessions.length} sessions: ${sessions.map((session) => sessionText(session, timeZone)).join("; ")}.`;
  if (index !== null && fitting.length === 1)
    return { index, text: `${several} Its periods belong to session ${index + 1}` };
  const within = fitting.length === 0 ? "none of them has" : `${fitting.length} of them have`;
  return {
    index: null,
    text: `${several} The periods are applied to none, because ${within} all periods in its time. Name the files of one session, with --periods; or correct the clock of the tracker that is alone`,
  };
}

function sessionText(recordings: readonly SquadRecording[], timeZone: string | undefined): string {
  const text = instantFormat(timeZone);
  const interval = mainInterval(recordings);
  const [first = "", ...others] = recordings.map(({ fileName }) => fileName);
  const names = others.length === 0 ? first : `${first} and ${others.length} more`;
  return `${text(interval.startMs)} to ${text(interval.endMs - 1)} (${names})`;
}
