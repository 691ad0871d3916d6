import type { Resource } from "asi-client";
import { nameKey, type SessionPeriod } from "asi-convert/squad";

type Rows = Resource["SessionPeriods"];

const instant = (ms: number) => new Date(ms).toISOString();

/**
 * Returns the periods of a session in the service. Times of athletes that `names` lacks are omitted.
 * @param names the names of the players by the ids of their athletes
 */
export function periodsOfRows(rows: Rows, names: ReadonlyMap<number, string>): SessionPeriod[] {
  const periods = new Map<string, SessionPeriod>();
  for (const [i, { name, start_time, end_time, athlete }] of rows.entries()) {
    const period = periods.get(nameKey(name)) ?? { name, all: null, own: new Map(), line: i + 1 };
    periods.set(nameKey(name), period);
    const times =
      start_time === null || end_time === null
        ? []
        : [{ startMs: Date.parse(start_time), endMs: Date.parse(end_time) }];
    if (athlete === null) period.all = times[0] ?? null;
    const player = athlete === null ? undefined : names.get(athlete);
    if (player !== undefined) {
      const key = nameKey(player);
      period.own.set(key, [...(period.own.get(key) ?? []), ...times]);
    }
  }
  return [...periods.values()];
}

/** Returns periods as rows of the service. Times of players that `names` lacks are omitted. */
export function rowsOfPeriods(periods: readonly SessionPeriod[], names: ReadonlyMap<number, string>): Rows {
  const athletes = new Map([...names].map(([id, name]) => [nameKey(name), id]));
  return periods.flatMap(({ name, all, own }) => [
    ...(all === null
      ? []
      : [{ name, start_time: instant(all.startMs), end_time: instant(all.endMs), athlete: null }]),
    ...[...own].flatMap(([key, intervals]): Rows => {
      const athlete = athletes.get(key);
      if (athlete === undefined) return [];
      if (intervals.length === 0) return [{ name, start_time: null, end_time: null, athlete }];
      return intervals.map(({ startMs, endMs }) => ({
        name,
        start_time: instant(startMs),
        end_time: instant(endMs),
        athlete,
      }));
    }),
  ]);
}
