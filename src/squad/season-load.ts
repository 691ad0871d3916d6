import { type DayLoad, loadOverDays, type SessionLoad } from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";
import { hasLoad, signalShare } from "./incomplete.js";
import { type SeasonPlayer, seasonFigure } from "./season.js";
import { comparedAt, isAlike, isPartial, isPlayedMatch } from "./season-comparison.js";

/** The load of a day in a season. */
export interface SeasonDayLoad extends DayLoad {
  /** Whether 5 to 10 % of the data of a session are missing, so that the load is a lower bound. */
  readonly isAtLeast: boolean;
}

/**
 * Computes the load of a player over the days of a season: the sum of a figure over the player's sessions of a day; 0 if the player does not
 * take part in any. It is unknown if a session lacks the figure or more than 10 % of its data, or is of another sport than the last one. The
 * days begin after the last session with other limits, because weighted means of both would be wrong for weeks.
 *
 * @param column a sum, such as distance
 * @param dayOf returns the local calendar day of an instant, `YYYY-MM-DD`
 * @returns a result for each day from the first of these sessions to the last session of the squad; empty if there are no sessions
 * @throws AsiError `BAD_ARGUMENT` for a season of more than 3660 days
 */
export function seasonLoad(
  { entries }: SeasonPlayer,
  column: SquadColumn,
  dayOf: (ms: number) => string,
): SeasonDayLoad[] {
  // a session without the figure has no limit that could differ
  const withFigure = entries.filter((entry) => seasonFigure(entry, column) !== null);
  const compared = comparedAt(withFigure);
  const other = withFigure.findLast(
    (entry) => entry.session.sport === compared.sport && !isAlike(entry, column, compared),
  );
  const otherDay = other === undefined ? "" : dayOf(other.session.startMs);
  const partial = new Set<string>();
  const sessions = entries.flatMap((entry): SessionLoad[] => {
    const { session, row } = entry;
    const day = dayOf(session.startMs);
    if (row === null || day <= otherDay) return [];
    if (row.coverage === null) return [{ day, load: 0 }];
    const isKnown = isAlike(entry, column, compared) && hasLoad(signalShare(row, column));
    const isComplete = !isPartial(entry, column);
    if (!isComplete) partial.add(day);
    const matchMinutes = isPlayedMatch(entry) && isComplete ? (row.figures.minutes ?? 0) : undefined;
    return [{ day, load: isKnown ? seasonFigure(entry, column) : null, matchMinutes }];
  });
  const last = entries.at(-1)?.session;
  return last === undefined
    ? []
    : loadOverDays(sessions, { to: dayOf(last.startMs) }).map((one) => ({
        ...one,
        isAtLeast: one.load !== null && partial.has(one.day),
      }));
}
