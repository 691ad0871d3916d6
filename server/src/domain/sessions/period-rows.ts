import { nameKey, type SessionPeriod } from "asi-convert/squad";
import { readPeriods } from "asi-convert/squad-sheets";
import { asc, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessionPeriods } from "../../store/schema.js";
import type { PeriodRow } from "../change/events.js";
import { groupBy } from "../change/group-by.js";
import { MAX_PERIOD_ROWS } from "./resource.js";
import type { Session } from "./rules.js";

export type { PeriodRow };

const COLUMNS = {
  name: sessionPeriods.name,
  athleteId: sessionPeriods.athleteId,
  startTime: sessionPeriods.startTime,
  endTime: sessionPeriods.endTime,
};

/** Reads the rows of several sessions, in their order, by session. */
export async function periodRowsBySession(
  queries: Queries,
  sessionIds: readonly number[],
): Promise<Map<number, PeriodRow[]>> {
  const rows = await queries
    .select({ sessionId: sessionPeriods.sessionId, ...COLUMNS })
    .from(sessionPeriods)
    .where(inArray(sessionPeriods.sessionId, [...sessionIds]))
    .orderBy(asc(sessionPeriods.sessionId), asc(sessionPeriods.position));
  return groupBy(rows, ({ sessionId }) => sessionId);
}

/** Reads the rows of a session in their order. */
export const periodRowsOf = (queries: Queries, sessionId: number): Promise<PeriodRow[]> =>
  queries
    .select(COLUMNS)
    .from(sessionPeriods)
    .where(eq(sessionPeriods.sessionId, sessionId))
    .orderBy(asc(sessionPeriods.position));

/** Returns the name of an athlete for the functions of the library, which only need an id. */
export const idAsName = (athleteId: number): string => String(athleteId);

/** Converts stored rows to periods of the library. @param nameOf returns the name of a player in the result */
export function periodsOfRows(
  rows: readonly PeriodRow[],
  nameOf: (athleteId: number) => string = idAsName,
): SessionPeriod[] {
  const periods = new Map<string, SessionPeriod>();
  for (const [index, { name, athleteId, startTime, endTime }] of rows.entries()) {
    const period = periods.get(nameKey(name)) ?? { name, all: null, own: new Map(), line: index + 2 };
    periods.set(nameKey(name), period);
    const times =
      startTime === null || endTime === null
        ? []
        : [{ startMs: startTime.getTime(), endMs: endTime.getTime() }];
    if (athleteId === null) period.all = times[0] ?? null;
    else {
      const key = nameKey(nameOf(athleteId));
      period.own.set(key, [...(period.own.get(key) ?? []), ...times]);
    }
  }
  return [...periods.values()];
}

/** Converts periods of the library to rows. @param athleteOf returns the athlete for the key of a name */
export function rowsOfPeriods(
  periods: readonly SessionPeriod[],
  athleteOf: (key: string) => number | undefined,
): PeriodRow[] {
  return periods.flatMap(({ name, all, own }) => [
    ...(all === null
      ? []
      : [{ name, athleteId: null, startTime: new Date(all.startMs), endTime: new Date(all.endMs) }]),
    ...[...own].flatMap(([key, intervals]): PeriodRow[] => {
      const athleteId = athleteOf(key);
      if (athleteId === undefined) return [];
      return intervals.length === 0
        ? [{ name, athleteId, startTime: null, endTime: null }]
        : intervals.map(({ startMs, endMs }) => ({
            name,
            athleteId,
            startTime: new Date(startMs),
            endTime: new Date(endMs),
          }));
    }),
  ]);
}

/**
 * A problem in a table row; `row` counts from 0, absent if the problem concerns the whole table.
 */
export interface PeriodProblem {
  row?: number;
  line: number;
  message: string;
}

/** Reads `periods.csv`, as `asi squad` does, in its encodings. @param names names of the players */
export function readPeriodsOf(
  csv: Uint8Array | string,
  { startTime, endTime }: Pick<Session, "startTime" | "endTime">,
  names: ReadonlyMap<number, string>,
  timeZone?: string,
): { periods: SessionPeriod[]; rows: PeriodRow[]; problems: PeriodProblem[] } {
  const athletes = new Map([...names].map(([id, name]) => [nameKey(name), id]));
  const { periods, problems } = readPeriods(csv, {
    session: { startMs: startTime.getTime(), endMs: endTime.getTime() },
    timeZone,
    players: [...names.values()],
    maxRows: MAX_PERIOD_ROWS,
  });
  return { periods, rows: rowsOfPeriods(periods, (key) => athletes.get(key)), problems };
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const clock = (time: Date | null) =>
  time === null ? "-" : `${time.toISOString().slice(0, -1).replace("T", " ")}+00:00`;

/**
 * Formats rows as `periods.csv` with ids instead of names, so that the reader of that file checks them. Row `n` is line `n + 2`.
 */
export const csvOfRows = (rows: readonly PeriodRow[]): string =>
  [
    "period,start,end,player",
    ...rows.map(({ name, athleteId, startTime, endTime }) =>
      [quoted(name), clock(startTime), clock(endTime), athleteId === null ? "" : idAsName(athleteId)].join(
        ",",
      ),
    ),
  ].join("\n");
