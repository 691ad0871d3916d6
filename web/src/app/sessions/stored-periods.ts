import type { Resource } from "asi-client";
import { nameKey, type SessionPeriod } from "asi-convert/squad";

type Rows = Resource["SessionPeriods"];

/** A period with its rows of athletes whom the squad view does not show. Changes to the period copy these rows. */
export interface StoredPeriod extends SessionPeriod {
  hiddenRows?: Rows;
}

const instant = (ms: number) => new Date(ms).toISOString();

/**
 * Returns the periods of a session in the service. Rows of athletes that `names` lacks become `hiddenRows`.
 * @param names the names of the players by the ids of their athletes
 */
export function periodsOfRows(rows: Rows, names: ReadonlyMap<number, string>): StoredPeriod[] {
  const periods = new Map<string, Required<StoredPeriod>>();
  for (const [i, row] of rows.entries()) {
    const { name, start_time, end_time, athlete } = row;
    const period: Required<StoredPeriod> = periods.get(nameKey(name)) ?? {
      name,
      all: null,
      own: new Map(),
      line: i + 1,
      hiddenRows: [],
    };
    periods.set(nameKey(name), period);
    const times =
      start_time === null || end_time === null
        ? []
        : [{ startMs: Date.parse(start_time), endMs: Date.parse(end_time) }];
    const player = athlete === null ? undefined : names.get(athlete);
    if (athlete === null) period.all = times[0] ?? null;
    else if (player === undefined) period.hiddenRows.push(row);
    else {
      const key = nameKey(player);
      period.own.set(key, [...(period.own.get(key) ?? []), ...times]);
    }
  }
  return [...periods.values()];
}

/**
 * Returns periods as rows of the service. Hidden rows keep their times and get the name of the period. Times of other players that `names`
 * lacks are omitted.
 */
export function rowsOfPeriods(periods: readonly StoredPeriod[], names: ReadonlyMap<number, string>): Rows {
  const athletes = new Map([...names].map(([id, name]) => [nameKey(name), id]));
  return periods.flatMap(({ name, all, own, hiddenRows = [] }) => [
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
    ...hiddenRows.map((row) => ({ ...row, name })),
  ]);
}
