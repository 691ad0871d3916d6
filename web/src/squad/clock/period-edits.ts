import {
  type Interval,
  lengthOf,
  nameKey,
  offIntervals,
  type SessionPeriod,
  without,
} from "asi-convert/squad";
import type { EditedPeriod } from "../period-steps.js";

/** These functions return changed periods and do not modify their arguments. */

type Periods = readonly EditedPeriod[];

/** Returns null if there are none. A period can get its first individual times after its ends have moved. */
const enteredIn = ({ entered }: EditedPeriod) =>
  entered === undefined || entered.size === 0 ? null : entered;

const changed = (periods: Periods, name: string, change: (period: EditedPeriod) => EditedPeriod) =>
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

/** Returns an interval with infinite ends in place of those that equal the ends of a period, because they move with them. */
const open = ({ startMs, endMs }: Interval, all: Interval): Interval => ({
  startMs: startMs === all.startMs ? Number.NEGATIVE_INFINITY : startMs,
  endMs: endMs === all.endMs ? Number.POSITIVE_INFINITY : endMs,
});

const isSome = ({ startMs, endMs }: Interval) => startMs < endMs;

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
    const { all } = period;
    if (all === null) return { ...period, all: ends };
    const entered = enteredIn(period) ?? ownWith(period.own, (one) => open(one, all));
    return { ...period, all: ends, own: ownWith(entered, (one) => within(one, ends)), entered };
  });
}

type Own = SessionPeriod["own"];

const ownWith = (own: Own, change: (interval: Interval) => Interval): Own =>
  new Map([...own].map(([player, intervals]) => [player, intervals.map(change).filter(isSome)]));

/** Returns the players with times outside a period, as keys of their names. */
export function outside({ all, entered = new Map() }: EditedPeriod): string[] {
  if (all === null) return [];
  const isOutside = (one: Interval) => {
    const { startMs, endMs } = within(one, all);
    return (
      startMs >= endMs ||
      [one.startMs, one.endMs].some((ms) => Number.isFinite(ms) && ms !== startMs && ms !== endMs)
    );
  };
  return [...entered].flatMap(([player, intervals]) => (intervals.some(isOutside) ? [player] : []));
}

/** @param intervals times of the player in the period; empty if the player does not take part; null for the times of all */
export function withOwn(
  periods: Periods,
  name: string,
  player: string,
  intervals: readonly Interval[] | null,
): SessionPeriod[] {
  const key = nameKey(player);
  const put = (own: Own, times: readonly Interval[] | null): Own => {
    const next = new Map(own);
    if (times === null) next.delete(key);
    else
      next.set(
        key,
        times.toSorted((a, b) => a.startMs - b.startMs),
      );
    return next;
  };
  return changed(periods, name, (period) => {
    const next = { ...period, own: put(period.own, intervals) };
    const { all } = period;
    const entered = enteredIn(period);
    if (entered === null || all === null) return next;
    // the user sees only the times within the period
    const hidden = (entered.get(key) ?? []).filter((one) => !isSome(within(one, all)));
    const shown = intervals?.map((one) => open(one, all)) ?? [];
    return { ...next, entered: put(entered, shown.length === 0 ? intervals : [...shown, ...hidden]) };
  });
}

/** Restricts a period to some players, who get the times for all. */
export function onlyFor(periods: Periods, name: string, players: readonly string[]): SessionPeriod[] {
  return changed(periods, name, ({ all, ...period }) => ({
    ...period,
    all: null,
    own: new Map(all === null ? [] : players.map((player) => [nameKey(player), [all]])),
    entered: new Map(),
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
