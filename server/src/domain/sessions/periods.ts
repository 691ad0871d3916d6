import { isDeepStrictEqual } from "node:util";
import { periodsCsv } from "asi-convert/squad-sheets";
import { eq, sql } from "drizzle-orm";
import { sessionPeriods, sessions } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { tagged } from "../change/entity-tags.js";
import { errors, type FieldErrors, MAX_FIELD_ERRORS } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import {
  csvOfRows,
  idAsName,
  type PeriodProblem,
  type PeriodRow,
  periodRowsOf,
  periodsOfRows,
  readPeriodsOf,
} from "./period-rows.js";
import { namesInPeriods, playersOf } from "./players.js";
import { MAX_PERIOD_ROWS, type NewPeriods, periodsItem, visibleRows } from "./resource.js";
import type { SeenSession, Session } from "./rules.js";
import { inTimeZone } from "./time-zone.js";

/** Returns the periods of a session. */
export const retrievePeriods = async ({ queries }: Context, session: SeenSession) =>
  periodsItem(await periodRowsOf(queries, session.id), session);

/** Returns the periods of a session as `periods.csv`. @throws ServiceError `invalid`: unknown time zone */
export async function retrievePeriodsCsv({ queries }: Context, session: SeenSession, timeZone?: string) {
  const { view } = session;
  const rows = visibleRows(await periodRowsOf(queries, session.id), view);
  const players = (await playersOf(queries, session)).filter(
    ({ athleteId }) => view.athleteId === null || athleteId === view.athleteId,
  );
  const names = await namesInPeriods(queries, players, rows);
  const nameOf = (id: number) => names.get(id) ?? idAsName(id);
  const csv = inTimeZone(() =>
    periodsCsv(periodsOfRows(rows, nameOf), {
      session: { startMs: session.startTime.getTime(), endMs: session.endTime.getTime() },
      timeZone,
      players: [...names.values()],
    }),
  );
  return { csv, ...tagged(["text/csv", csv], session.version) };
}

/**
 * Replaces the periods of a session. Its time frames are updated.
 * @throws ServiceError `invalid` with the index of each wrong row; `too_many_timeframes`; QuotaExceeded
 */
export async function replacePeriods(ctx: Context, session: Session, body: NewPeriods) {
  return replace(ctx, session, async (unit, current) => {
    const names = await namesOf(unit, current, idAsName);
    const rows = body.map(
      ({ name, start_time, end_time, athlete = null }): PeriodRow => ({
        name,
        athleteId: athlete,
        startTime: start_time,
        endTime: end_time,
      }),
    );
    const unclear = rowProblems(rows, names);
    if (Object.keys(unclear).length > 0) throw errors.invalid(unclear);
    const read = readPeriodsOf(csvOfRows(rows), current, names);
    throwProblems(read.problems, ({ line }) => String(Math.max(0, line - 2)));
    return read.rows;
  });
}

/**
 * Replaces the periods of a session with those of a `periods.csv` that contains the names of the players.
 * @throws ServiceError `invalid` with the line of each problem
 */
export async function replacePeriodsByCsv(
  ctx: Context,
  session: Session,
  csv: Uint8Array,
  timeZone?: string,
) {
  return replace(ctx, session, async (unit, current) => {
    const names = await namesOf(unit, current);
    const read = inTimeZone(() => readPeriodsOf(csv, current, names, timeZone));
    throwProblems(read.problems, ({ line }) => `line ${line}`);
    return read.rows;
  });
}

async function namesOf(
  { queries }: UnitOfWork,
  session: Session,
  nameOf?: (athleteId: number) => string,
): Promise<Map<number, string>> {
  const players = await playersOf(queries, session);
  return new Map(players.map(({ athleteId, name }) => [athleteId, nameOf?.(athleteId) ?? name]));
}

/** Checks the rows for problems that the reader of `periods.csv` does not find. */
function rowProblems(rows: readonly PeriodRow[], names: ReadonlyMap<number, string>): FieldErrors {
  const problems = rows.flatMap(({ athleteId, startTime, endTime }, row): [string, FieldErrors][] => {
    if ((startTime === null) !== (endTime === null))
      return [[String(row), { end_time: ["Give both times, or null for both."] }]];
    if (athleteId !== null && !names.has(athleteId))
      return [[String(row), { athlete: ["This athlete is not in the squad at the time of the session."] }]];
    return [];
  });
  return Object.fromEntries(problems.slice(0, MAX_FIELD_ERRORS));
}

function throwProblems(problems: readonly PeriodProblem[], placeOf: (problem: PeriodProblem) => string) {
  if (problems.length === 0) return;
  const fields = new Map<string, string[]>();
  for (const problem of problems.slice(0, MAX_FIELD_ERRORS)) {
    const place = placeOf(problem);
    fields.set(place, [...(fields.get(place) ?? []), problem.message]);
  }
  throw errors.invalid(Object.fromEntries(fields));
}

function requireWithin(rows: readonly PeriodRow[], { startTime, endTime }: Session): void {
  if (rows.length > MAX_PERIOD_ROWS)
    throw errors.invalid({ non_field_errors: [`A session has at most ${MAX_PERIOD_ROWS} rows of periods.`] });
  const outside = rows.filter(
    (row) =>
      row.startTime !== null && row.endTime !== null && (row.startTime < startTime || row.endTime > endTime),
  );
  if (outside.length === 0) return;
  const names = [...new Set(outside.map(({ name }) => `"${name}"`))].join(", ");
  throw errors.invalid({
    non_field_errors: [
      `Not within the session, which is from ${startTime.toISOString()} to ${endTime.toISOString()}: ${names}.`,
    ],
  });
}

function replace(
  ctx: Context,
  { id }: Session,
  read: (unit: UnitOfWork, session: Session) => Promise<PeriodRow[]>,
) {
  return change(
    ctx,
    "replaceSessionPeriods",
    { session: id },
    async (unit, session) => {
      const after = await read(unit, session);
      return periodsItem(after, { ...(await storePeriods(unit, session, after)), view: session.view });
    },
    async ({ queries }, session) => periodsItem(await periodRowsOf(queries, id), session),
  );
}

/** Replaces the rows of a session. @returns the session with its new version; the same one if no row differs */
export async function storePeriods(
  unit: UnitOfWork,
  session: Session,
  after: readonly PeriodRow[],
): Promise<Session> {
  const { queries } = unit;
  const { id } = session;
  requireWithin(after, session);
  const before = await periodRowsOf(queries, id);
  if (isDeepStrictEqual(before, after)) return session;
  await queries.delete(sessionPeriods).where(eq(sessionPeriods.sessionId, id));
  if (after.length > 0)
    await queries
      .insert(sessionPeriods)
      .values(after.map((row, position) => ({ ...row, sessionId: id, position })));
  const [row] = await queries
    .update(sessions)
    .set({ version: sql`${sessions.version} + 1` })
    .where(eq(sessions.activityId, id))
    .returning({ version: sessions.version });
  const changed = { ...session, version: row?.version ?? session.version };
  await unit.announce("sessionPeriodsChanged", { session: changed, before, after });
  return changed;
}
