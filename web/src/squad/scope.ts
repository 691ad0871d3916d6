import {
  halvesOf,
  type Interval,
  intervalsFor,
  lengthOf,
  offIntervals,
  type SessionPeriod,
  type SessionTime,
  united,
  without,
} from "asi-convert/squad";

/** The part of the session that the figures of the table cover. */
export type Scope =
  | { kind: "session" }
  /** The sum of the halves. */
  | { kind: "match" }
  | { kind: "period"; name: string }
  /** The selection on the clock. */
  | { kind: "brush"; interval: Interval };

/** Returns the periods that form a match. The list is empty for other sessions. */
export function halvesIn(periods: readonly SessionPeriod[]): readonly SessionPeriod[] {
  return halvesOf(periods) ?? [];
}

/** The part of a scope that applies to a player. */
export interface PlayerScope {
  /** Name of the row, or null for the whole session. */
  period: string | null;
  /** Ascending and disjoint intervals, or null for all samples. */
  intervals: readonly Interval[] | null;
  /** The duration, which is 0 for a player who does not take part. */
  periodMs: number;
}

export function scopeOf(
  scope: Scope,
  player: string,
  periods: readonly SessionPeriod[],
  session: SessionTime,
): PlayerScope {
  const of = (period: string, intervals: readonly Interval[]) => ({
    period,
    intervals,
    periodMs: lengthOf(intervals),
  });
  switch (scope.kind) {
    case "session":
      return { period: null, intervals: session.intervals, periodMs: session.ms };
    case "match":
      return of("Match", united(halvesIn(periods).flatMap((period) => intervalsFor(period, player))));
    case "period": {
      const period = periods.find(({ name }) => name === scope.name);
      return of(scope.name, period === undefined ? [] : intervalsFor(period, player));
    }
    case "brush":
      return of("Selection", without([scope.interval], offIntervals(periods, player)));
  }
}
