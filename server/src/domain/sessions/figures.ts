import { randomUUID } from "node:crypto";
import { instantFormat, lengthOf, united } from "asi-convert/squad";
import {
  type Cell,
  FILE_COLUMNS,
  sheetOf,
  tableCsv,
  tableParquet,
  textLayout,
} from "asi-convert/squad-report";
import { authorize } from "../change/access.js";
import { transact } from "../change/change.js";
import type { PlayerFigures, PlayerPeriod } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { type Tagged, tagged } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { queueSessionFigures } from "../computed-data/queue.js";
import { grantsOf } from "../permissions/coverage.js";
import { isHeartKey, withoutHeart } from "../squad-roles/heart.js";
import type { View } from "../squad-roles/view.js";
import { type ComputedPlayer, waiterOf } from "./compute-player.js";
import { FIGURES_VERSION, type SessionFrame } from "./figures-inputs.js";
import { figuresUntil } from "./figures-of-players.js";
import type { SessionPlayer } from "./players.js";
import type { SeenSession, Session } from "./rules.js";
import { inTimeZone } from "./time-zone.js";
import { type LeftOut, WHOLE } from "./wanted-timeframes.js";

/** A row of the table: a player in a period. */
export interface FiguresRow {
  player: SessionPlayer;
  /** Empty for the whole session. */
  period: string;
  found: PlayerFigures;
  /** Length of the period, ms; 0 if the player does not take part. */
  periodMs: number;
  /** Share of the period with data; null if the player does not take part. */
  coverage: number | null;
  timeframes: number[];
  computedAt: Date;
}

export interface FiguresTable extends Tagged {
  session: Session;
  rows: FiguresRow[];
  leftOut: (LeftOut & { player: SessionPlayer | undefined })[];
  /** Players without rows, because their figures are being computed. */
  computing: SessionPlayer[];
  /** Whether the caller may see heart data. */
  hasHeart: boolean;
}

/**
 * The part of a session's table that the caller can read. Figures that are not stored, or are stale, are computed first.
 * @param waitS seconds after which the table is returned without the players whose figures are still being computed; a job
 *   computes the rest. Default: no limit.
 */
export async function sessionTable(
  ctx: Context,
  session: SeenSession,
  waitS?: number,
): Promise<FiguresTable> {
  const untilMs = waitS === undefined ? Number.POSITIVE_INFINITY : performance.now() + 1000 * waitS;
  const { plan, players, computed } = await figuresUntil(ctx, session, untilMs, session.view.athleteId);
  const missing = players.filter(({ player }) => !computed.has(player.athleteId));
  if (missing.length > 0) {
    await transact(ctx, "session figures", (unit) => queueSessionFigures(unit, [session]));
  }
  // Read last, because the computations may take a long time.
  const { view } = await authorize(ctx, "retrieveSessionFigures", { session: session.id });
  const grants = await grantsOf(
    ctx.queries,
    session.ownerId,
    "READ",
    players.map(({ player }) => player.athleteId),
  );
  const isReadable = ({ athleteId, startTime, endTime }: SessionFrame) =>
    grants.cover(athleteId, startTime, endTime);
  const rows = players.flatMap(({ player, own, periods }) =>
    rowsOf(player, own, periods, computed.get(player.athleteId), isReadable),
  );
  const playedMs = 1000 * lengthOf(united(rows.flatMap(({ found }) => found.seconds.map(asInterval))));
  const shown = rows.map((row) => (row.period === WHOLE ? asWhole(row, playedMs) : row));
  const byId = new Map(plan.players.map((player) => [player.athleteId, player]));
  const leftOut =
    session.view.athleteId === null
      ? plan.leftOut.map((one) => ({ ...one, player: byId.get(one.athleteId) }))
      : [];
  const computing = missing.flatMap(({ player, own }) => (own.some(isReadable) ? [player] : []));
  const { hasHeart } = view;
  const tag = tagOf(session, view, shown, { leftOut, computing }, computed);
  return { session, rows: shown, leftOut, computing, hasHeart, ...tag };
}

const asInterval = ([startMs, endMs]: [number, number]) => ({ startMs, endMs });

/** The length of the whole session is the time with data of any player, as in `asi squad`. */
function asWhole(row: FiguresRow, playedMs: number): FiguresRow {
  const { recordedMs } = row.found;
  const coverage = playedMs === 0 ? null : recordedMs === null ? 0 : Math.min(1, recordedMs / playedMs);
  return { ...row, periodMs: playedMs, coverage };
}

function rowsOf(
  player: SessionPlayer,
  frames: readonly SessionFrame[],
  periods: readonly PlayerPeriod[],
  computed: ComputedPlayer | undefined,
  isReadable: (frame: SessionFrame) => boolean,
): FiguresRow[] {
  if (computed === undefined) return [];
  return periods.flatMap(({ period, periodMs }) => {
    const own = frames.filter((frame) => frame.period === period);
    const found = computed.byPeriod.get(period);
    if (found === undefined || !own.every(isReadable)) return [];
    const { recordedMs } = found;
    const coverage = periodMs === 0 ? null : recordedMs === null ? 0 : Math.min(1, recordedMs / periodMs);
    return [
      {
        player,
        period,
        found,
        periodMs,
        coverage,
        timeframes: own.map(({ id }) => id),
        computedAt: computed.computedAt,
      },
    ];
  });
}

function tagOf(
  session: Session,
  view: View,
  rows: readonly FiguresRow[],
  { leftOut, computing }: Pick<FiguresTable, "leftOut" | "computing">,
  computed: ReadonlyMap<number, ComputedPlayer>,
): Tagged {
  const shown = rows.map(({ player: { athleteId, name, number, position }, period, computedAt }) => [
    athleteId,
    name,
    number,
    position,
    period,
    computedAt.getTime(),
    computed.get(athleteId)?.inputs,
  ]);
  return tagged(
    [
      FIGURES_VERSION,
      view,
      shown,
      leftOut.map(({ athleteId, period, reason }) => [athleteId, period, reason]),
      computing.map(({ athleteId }) => athleteId),
    ],
    session.version,
  );
}

/** Column by column as in files of `asi squad`. */
function cellsOf({ player, period, found, periodMs, coverage }: FiguresRow, session: string) {
  return {
    ...found.cells,
    session,
    period: period === WHOLE ? "session" : period,
    player: player.name,
    number: player.number,
    position: player.position,
    period_minutes: Math.round(periodMs / 6) / 10_000,
    share_with_data: coverage === null ? null : Math.round(coverage * 1000) / 1000,
    // The service keeps samples, not recordings.
    damaged: null,
    truncated: null,
  } as Record<string, Cell>;
}

/** The columns of the files of `asi squad` that the role of the caller includes. */
const columnsOf = ({ hasHeart }: FiguresTable) =>
  FILE_COLUMNS.filter(({ key }) => hasHeart || !isHeartKey(key)).map((column) => ({
    ...column,
    cell: (cells: Record<string, Cell>) => cells[column.key] ?? null,
  }));

/** The table as a CSV, as written by `asi squad`. */
export function tableAsCsv(table: FiguresTable, timeZone: string | undefined): Tagged & { csv: string } {
  const { session, rows, etag } = table;
  const instantText = inTimeZone(() => instantFormat(timeZone));
  const start = instantText(session.startTime.getTime());
  const csv = tableCsv(
    columnsOf(table),
    rows.map((row) => cellsOf(row, start)),
    textLayout(undefined, instantText),
  );
  // Representations have different strong tags (RFC 9110 section 8.8.3).
  return { csv, ...tagged(["text/csv", timeZone ?? "UTC", etag]) };
}

/** The table as a Parquet file, as written by `asi squad`. */
export function tableAsParquet(
  table: FiguresTable,
  timeZone: string | undefined,
): Tagged & { bytes: Uint8Array } {
  const { session, rows, etag } = table;
  const start = inTimeZone(() => instantFormat(timeZone))(session.startTime.getTime());
  const bytes = tableParquet(
    columnsOf(table),
    rows.map((row) => cellsOf(row, start)),
  );
  return { bytes, ...tagged(["parquet", timeZone ?? "UTC", etag]) };
}

/** Columns that the name of a sheet replaces. */
const SHEET_NAME_COLUMNS = ["session", "period"];
/** Maximum number of rows of a workbook, because it is written in one piece. */
const MAX_WORKBOOK_ROWS = 10_000;

/**
 * The table as a workbook, as written by `asi squad`: a sheet for the whole session and for each period.
 * @throws ServiceError `table_too_large`
 */
export async function tableAsWorkbook(
  ctx: Context,
  table: FiguresTable,
  timeZone: string | undefined,
): Promise<Tagged & { bytes: Uint8Array }> {
  const { session, rows, etag } = table;
  if (rows.length > MAX_WORKBOOK_ROWS)
    throw errors.conflict(
      "table_too_large",
      `A workbook has at most ${MAX_WORKBOOK_ROWS} rows, and the table has ${rows.length}. Use CSV or Parquet.`,
    );
  const start = inTimeZone(() => instantFormat(timeZone))(session.startTime.getTime());
  const columns = columnsOf(table).filter(({ key }) => !SHEET_NAME_COLUMNS.includes(key));
  const periods = new Set([WHOLE, ...rows.map(({ period }) => period)]);
  const sheets = [...periods].map((period) => {
    const own = rows.filter((row) => row.period === period).map((row) => cellsOf(row, start));
    return sheetOf(period === WHOLE ? "Session" : period, columns, own, timeZone);
  });
  const bytes = await ctx.computer.share(`workbook ${randomUUID()}`, waiterOf(ctx, session.ownerId), () =>
    ctx.computer.writeWorkbook(sheets),
  );
  // The file contains the time at which it was written, so the bytes of an unchanged table differ.
  return { bytes, etag: `W/${tagged(["xlsx", timeZone ?? "UTC", etag]).etag}` };
}

const instant = (ms: Cell | undefined) => (typeof ms === "number" ? new Date(ms).toISOString() : null);

const numberIn = (cell: Cell | undefined) => (typeof cell === "number" ? cell : null);

const definitionWithoutHeart = (definition: PlayerFigures["definition"]) =>
  definition && { ...definition, parameters: withoutHeart(definition.parameters) };

/** The table as JSON. */
export const tableAsJson = ({ session, rows, leftOut, computing, hasHeart }: FiguresTable) => ({
  session: session.id,
  rows: rows.map(({ player, period, found, periodMs, coverage, timeframes, computedAt }) => {
    const { cells, figures, hrCoverage, definition } = found;
    return {
      athlete: player.athleteId,
      player: player.name,
      number: player.number,
      position: player.position,
      period: period === WHOLE ? null : period,
      start: instant(cells.start),
      end: instant(cells.end),
      figures: hasHeart ? figures : withoutHeart(figures),
      high_speed_from_m_per_s: numberIn(cells.high_speed_from_m_per_s),
      sprint_from_m_per_s: numberIn(cells.sprint_from_m_per_s),
      period_minutes: periodMs / 60_000,
      bench_minutes: numberIn(cells.bench_minutes),
      share_with_data: coverage,
      ...(hasHeart ? { share_with_hr: hrCoverage } : {}),
      too_fast_rows: numberIn(cells.too_fast_rows),
      definition: hasHeart ? definition : definitionWithoutHeart(definition),
      timeframes,
      computed_at: computedAt.toISOString(),
    };
  }),
  left_out: leftOut.map(({ athleteId, player, period, reason }) => ({
    athlete: athleteId,
    player: player?.name ?? "",
    period: period === WHOLE ? null : period,
    reason,
  })),
  computing: computing.map(({ athleteId, name }) => ({ athlete: athleteId, player: name })),
});
