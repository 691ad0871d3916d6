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

/**
 * Periods with the times of players as entered, by the same periods after their ends have moved. A wrong end would otherwise cut these times
 * for good.
 */
const entered = new WeakMap<SessionPeriod, SessionPeriod>();

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

/** Does the same with the times as entered. */
function changedTwice(
  periods: Periods,
  name: string,
  change: (period: SessionPeriod, shown: SessionPeriod) => SessionPeriod,
): SessionPeriod[] {
  return changed(periods, name, (period) => {
    const next = change(period, period);
    const asEntered = entered.get(period);
    if (asEntered !== undefined) entered.set(next, change(asEntered, period));
    return next;
  });
}

export const renamed = (periods: Periods, name: string, newName: string): SessionPeriod[] =>
  changedTwice(periods, name, (period) => ({ ...period, name: newName }));

/** Returns an interval whose ends move from those of a period to others, if they are equal. */
const following = ({ startMs, endMs }: Interval, from: Interval, to: Interval): Interval => ({
  startMs: startMs === from.startMs ? to.startMs : startMs,
  endMs: endMs === from.endMs ? to.endMs : endMs,
});

const within = ({ startMs, endMs }: Interval, ends: Interval): Interval => ({
  startMs: Math.max(startMs, ends.startMs),
  endMs: Math.min(endMs, ends.endMs),
});

/**
 * Moves the ends that a period has for all players. Equal ends of individual players move with them. Times outside the period do not count
 * until the ends move again, also in a later change.
 */
export function withEnds(periods: Periods, name: string, ends: Interval): SessionPeriod[] {
  return changed(periods, name, (period) => {
    const asEntered = entered.get(period) ?? period;
    const { all } = asEntered;
    if (all === null) return { ...period, all: ends };
    const own = new Map(
      [...asEntered.own].map(([player, intervals]) => [
        player,
        intervals
          .map((interval) => within(following(interval, all, ends), ends))
          .filter(({ startMs, endMs }) => startMs < endMs),
      ]),
    );
    const moved = { ...period, all: ends, own };
    entered.set(moved, asEntered);
    return moved;
  });
}

/** Returns the players with times outside a period, as keys of their names. */
export function outside(period: SessionPeriod): string[] {
  const { all } = period;
  const asEntered = entered.get(period);
  if (all === null || asEntered?.all == null) return [];
  const from = asEntered.all;
  const isOutside = (interval: Interval) => {
    const { startMs, endMs } = following(interval, from, all);
    return startMs < all.startMs || endMs > all.endMs || startMs >= endMs;
  };
  return [...asEntered.own].flatMap(([player, intervals]) => (intervals.some(isOutside) ? [player] : []));
}

/** @param intervals times of the player in the period; empty if the player does not take part; null for the times of all */
export function withOwn(
  periods: Periods,
  name: string,
  player: string,
  intervals: readonly Interval[] | null,
): SessionPeriod[] {
  return changedTwice(periods, name, (period, { all }) => {
    const own = new Map(period.own);
    if (intervals === null) own.delete(nameKey(player));
    else
      own.set(
        nameKey(player),
        intervals
          .map((interval) =>
            all === null || period.all === null ? interval : following(interval, all, period.all),
          )
          .toSorted((a, b) => a.startMs - b.startMs),
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
