import {
  type Interval,
  lengthOf,
  nameKey,
  offIntervals,
  type SessionPeriod,
  without,
} from "asi-convert/squad";

/** These functions return changed periods and do not modify their arguments. */

type Periods = readonly SessionPeriod[];

const changed = (periods: Periods, name: string, change: (period: SessionPeriod) => SessionPeriod) =>
  periods.map((period) => (period.name === name ? change(period) : period));

/** Returns the periods with one more, sorted by start. Longer periods precede those that they contain. */
export function withPeriod(periods: Periods, name: string, all: Interval): SessionPeriod[] {
  const added: SessionPeriod = { name, all, own: new Map(), line: 0 };
  const startOf = (period: SessionPeriod) =>
    period.all?.startMs ?? Math.min(...[...period.own.values()].flat().map(({ startMs }) => startMs));
  const at = periods.findIndex((period) => startOf(period) > all.startMs);
  return at < 0 ? [...periods, added] : periods.toSpliced(at, 0, added);
}

export const withoutPeriod = (periods: Periods, name: string): SessionPeriod[] =>
  periods.filter((period) => period.name !== name);

export const renamed = (periods: Periods, name: string, newName: string): SessionPeriod[] =>
  changed(periods, name, (period) => ({ ...period, name: newName }));

/**
 * Moves the ends that a period has for all players. Equal ends of individual players move with them. Times outside the period are removed.
 */
export function withEnds(periods: Periods, name: string, ends: Interval): SessionPeriod[] {
  return changed(periods, name, (period) => {
    const { all } = period;
    if (all === null) return { ...period, all: ends };
    const followed = ({ startMs, endMs }: Interval): Interval => ({
      startMs: startMs === all.startMs ? ends.startMs : Math.max(startMs, ends.startMs),
      endMs: endMs === all.endMs ? ends.endMs : Math.min(endMs, ends.endMs),
    });
    const own = new Map(
      [...period.own].map(([player, intervals]) => [
        player,
        intervals.map(followed).filter(({ startMs, endMs }) => startMs < endMs),
      ]),
    );
    return { ...period, all: ends, own };
  });
}

/** @param intervals times of the player in the period; empty if the player does not take part; null for the times of all */
export function withOwn(
  periods: Periods,
  name: string,
  player: string,
  intervals: readonly Interval[] | null,
): SessionPeriod[] {
  return changed(periods, name, (period) => {
    const own = new Map(period.own);
    if (intervals === null) own.delete(nameKey(player));
    else
      own.set(
        nameKey(player),
        intervals.toSorted((a, b) => a.startMs - b.startMs),
      );
    return { ...period, own };
  });
}

/** Restricts a period to some players, who get the times for all. */
export function onlyFor(periods: Periods, name: string, players: readonly string[]): SessionPeriod[] {
  return changed(periods, name, ({ all, ...period }) => ({
    ...period,
    all: null,
    own: new Map(all === null ? [] : players.map((player) => [nameKey(player), [all]])),
  }));
}

/**
 * Adds a period for all. Players whom other periods leave out at that time are left out of it. The period then has the same figures as a
 * selection of the same time.
 */
export function withPlayedPeriod(
  periods: Periods,
  name: string,
  all: Interval,
  players: readonly string[],
): SessionPeriod[] {
  return players.reduce(
    (made, player) => {
      const played = without([all], offIntervals(periods, player));
      return lengthOf(played) < lengthOf([all]) ? withOwn(made, name, player, played) : made;
    },
    withPeriod(periods, name, all),
  );
}

/** Returns the first free name of the form `Drill 3`. */
export function freeName(periods: Periods, kind: string): string {
  const taken = new Set(periods.map(({ name }) => nameKey(name)));
  for (let number = 1; ; number++) if (!taken.has(nameKey(`${kind} ${number}`))) return `${kind} ${number}`;
}
