import {
  halvesOf,
  type Interval,
  intervalsFor,
  lengthOf,
  type SessionPeriod,
  united,
} from "asi-convert/squad";

/** The part of the session that the figures of the table cover. */
export type Scope =
  | { kind: "session" }
  /** The sum of the halves. */
  | { kind: "match" }
  | { kind: "period"; name: string }
  /** The selection on the clock. */
  | { kind: "brush"; interval: Interval };

/** The periods that form a match; empty for other sessions. */
export function halvesIn(periods: readonly SessionPeriod[]): readonly SessionPeriod[] {
  return halvesOf(periods) ?? [];
}

/** The part of a scope that applies to a player. */
export interface PlayerScope {
  /** Name of the row; null for the whole session. */
  period: string | null;
  /** Ascending and disjoint; null: all samples. */
  intervals: readonly Interval[] | null;
  /** Its duration; 0 for a player who does not take part. */
  periodMs: number;
}

/** @param sessionMs time of the session in which at least one player has data */
export function scopeOf(
  scope: Scope,
  player: string,
  periods: readonly SessionPeriod[],
  sessionMs: number,
): PlayerScope {
  const of = (period: string, intervals: readonly Interval[]) => ({
    period,
    intervals,
    periodMs: lengthOf(intervals),
  });
  switch (scope.kind) {
    case "session":
      return { period: null, intervals: null, periodMs: sessionMs };
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

/** Times when a player is recorded but not on: within a period for all in which the player has other times. */
export function offIntervals(periods: readonly SessionPeriod[], player: string): Interval[] {
  return united(
    periods.flatMap((period) =>
      period.all === null ? [] : without([period.all], intervalsFor(period, player)),
    ),
  );
}

/** The part of `intervals` outside `removed`; both ascending. */
function without(intervals: readonly Interval[], removed: readonly Interval[]): Interval[] {
  return removed.reduce<Interval[]>(
    (rest, { startMs, endMs }) =>
      rest.flatMap((one) =>
        [
          { startMs: one.startMs, endMs: Math.min(one.endMs, startMs) },
          { startMs: Math.max(one.startMs, endMs), endMs: one.endMs },
        ].filter((part) => part.endMs > part.startMs),
      ),
    [...intervals],
  );
}
