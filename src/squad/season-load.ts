import { type DayLoad, loadOverDays } from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";
import { comparableFigure, isPlayedMatch, type SeasonPlayer, seasonFigure } from "./season.js";
import { hasLimit, limitsAt } from "./season-limits.js";

/**
 * Computes the load of a player over the days of a season. The load of a day is the sum of a figure over the player's sessions of that day.
 * A day without a recording of the player, or on which the player does not take part, is a day of rest. A session without the figure or with
 * incomplete data makes the load of its day unknown. The days begin after the day of the last session with other limits than those of the
 * player's last session with the figure: weighted means of loads with different limits would be wrong for weeks.
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
): DayLoad[] {
  // a session without the figure has no limit that could differ
  const withFigure = entries.filter((entry) => seasonFigure(entry, column) !== null);
  const limits = limitsAt(withFigure);
  const other = withFigure.findLast((entry) => !hasLimit(entry, column, limits));
  const otherDay = other === undefined ? "" : dayOf(other.session.startMs);
  const sessions = entries.flatMap((entry) => {
    const { session, row } = entry;
    if (row === null || dayOf(session.startMs) <= otherDay) return [];
    const matchMinutes = isPlayedMatch(entry) ? (row.figures.minutes ?? 0) : undefined;
    const load = row.coverage === null ? 0 : comparableFigure(entry, column, limits);
    return [{ day: dayOf(session.startMs), load, matchMinutes }];
  });
  const last = entries.at(-1)?.session;
  return last === undefined ? [] : loadOverDays(sessions, { to: dayOf(last.startMs) });
}
