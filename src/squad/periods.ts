import type { Interval } from "./interval.js";
import { nameKey } from "./roster.js";

/** A named interval of a session, such as a half or a drill. */
export interface SessionPeriod {
  name: string;
  /** The interval of all players without their own rows; null if only the named players take part. */
  all: Interval | null;
  /** Intervals of individual players by `nameKey`, in ascending order. The list is empty for a player who does not take part. */
  own: Map<string, Interval[]>;
  /** Line of the period's first row. */
  line: number;
}

export interface PeriodsContext {
  /**
   * First and last time of the session, ms since 1970 UTC, as returned by `mainInterval`. They determine the day of times without a date.
   */
  session: Interval;
  /** Time zone of local times. Default: UTC. */
  timeZone?: string | undefined;
  /** Names of the players of the session, as returned by `namesIn`. Each name identifies one player. */
  players: readonly string[];
  /** Maximum number of rows, above which no row is read. Default: that of a table. */
  maxRows?: number | undefined;
}

/** Returns the intervals of a player in a period, ascending and disjoint. The list is empty for a player who does not take part. */
export function intervalsFor(period: SessionPeriod, player: string): readonly Interval[] {
  return period.own.get(nameKey(player)) ?? (period.all === null ? [] : [period.all]);
}

/** Returns the intervals of all players in a period, in any order. */
export const timesOf = ({ all, own }: SessionPeriod): Interval[] => [all ?? [], ...own.values()].flat();

/** A period may extend beyond the recordings by this time, because users read the times from clocks *(choice)*. */
const OUTSIDE_MS = 2 * 60_000;

/**
 * Returns the periods outside the time of the recordings, for example on another day or in another time zone.
 *
 * @param session first and last time of the recordings, ms since 1970 UTC
 */
export function periodsOutside(periods: readonly SessionPeriod[], session: Interval): SessionPeriod[] {
  return periods.filter((period) =>
    timesOf(period).some(
      ({ startMs, endMs }) => startMs < session.startMs - OUTSIDE_MS || endMs > session.endMs + OUTSIDE_MS,
    ),
  );
}
