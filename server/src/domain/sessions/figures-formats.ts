import { randomUUID } from "node:crypto";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { instantFormat, SQUAD_COLUMNS } from "asi-convert/squad";
import { type Cell, FILE_COLUMNS, NOTE_COLUMN, periodSheetColumns, sheetOf } from "asi-convert/squad-report";
import type { CellTable, PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { type Tagged, tagged } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { groupBy } from "../change/group-by.js";
import { writeCsv, writeParquet } from "../computed-data/threads/table.js";
import { isHeartKey, withoutHeart } from "../squad-roles/heart.js";
import { waiterOf } from "./compute-player.js";
import { WHOLE } from "./derivation-inputs.js";
import type { FiguresRow, FiguresTable } from "./figures.js";
import {
  cautionsWanted,
  cellsWanted,
  definitionsWanted,
  figuresWanted,
  numberColumnsWanted,
  textColumnsWanted,
  type WantedColumns,
} from "./optional-columns.js";
import { inTimeZone } from "./time-zone.js";

const shownPeriod = (period: string) => (period === WHOLE ? "session" : period);

/** Returns the values of a row by the keys of the columns in files of `asi squad`. */
function cellsOf(
  { player, period, found, periodMs, coverage }: FiguresRow,
  session: string,
  wanted: WantedColumns,
) {
  return {
    ...found.cells,
    ...cellsWanted(found, wanted),
    session,
    period: shownPeriod(period),
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

const LAST_FIGURE = SQUAD_COLUMNS.at(-1)?.key;

/** The columns of the files of `asi squad` that the role of the caller includes. @param isIncomplete whether some rows are incomplete */
const columnsOf = ({ hasHeart, wanted, matchNote }: FiguresTable, isIncomplete: boolean) =>
  [
    ...FILE_COLUMNS.flatMap((column) =>
      column.key === LAST_FIGURE ? [column, ...numberColumnsWanted(wanted)] : [column],
    ),
    ...textColumnsWanted(wanted),
    ...(matchNote === null ? [] : [NOTE_COLUMN]),
    ...(isIncomplete ? [INCOMPLETE] : []),
  ]
    .filter(({ key }) => hasHeart || !isHeartKey(key))
    .map((column) => ({
      ...column,
      cell: (cells: Record<string, Cell>) => cells[column.key] ?? null,
    }));

/** A column of tables in which players, time frames, samples or computations are missing. */
const INCOMPLETE = { key: "incomplete", title: "Incomplete because of", kind: "text", decimals: 0 } as const;

interface FileRow {
  period: string;
  cells: Record<string, Cell>;
}

/** Number of rows that are prepared, or written, between two turns of the event loop. */
const ROWS_AT_A_TIME = 500;

/** Reasons that concern all rows of a player. The others concern the row of one period. */
const OF_PLAYER: ReadonlySet<string> = new Set(["limit_reached", "not_computable", "computing"]);

/** The columns and rows of a file. A player or period that the table leaves out has a row without figures. */
async function fileOf(table: FiguresTable, timeZone: string | undefined) {
  const { session, rows, leftOut, computing, matchNote, wanted } = table;
  const start = inTimeZone(() => instantFormat(timeZone))(session.startTime.getTime());
  const keyOf = (athleteId: number, period: string) => `${athleteId} ${period}`;
  const gaps = new Map(
    [
      ...leftOut.map(({ player, period, reason }) => ({ player, period, reason: reason as string })),
      ...computing.map((player) => ({ player, period: WHOLE, reason: "computing" })),
    ].flatMap(({ player, period, reason }) =>
      player === undefined
        ? []
        : [[keyOf(player.athleteId, period), { player, period, incomplete: reason }] as const],
    ),
  );
  const cells: FileRow[] = [];
  const withRow = new Set<string>();
  for (const [place, row] of rows.entries()) {
    if (place % ROWS_AT_A_TIME === ROWS_AT_A_TIME - 1) await nextEventLoopTurn();
    const { athleteId } = row.player;
    const key = keyOf(athleteId, row.period);
    const ofPlayer = gaps.get(keyOf(athleteId, WHOLE))?.incomplete ?? "";
    const incomplete = OF_PLAYER.has(ofPlayer) ? ofPlayer : (gaps.get(key)?.incomplete ?? null);
    const note = NOTE_COLUMN.cell({ period: row.period, note: matchNote });
    cells.push({
      period: row.period,
      cells: { ...cellsOf(row, start, wanted), match_note: note, incomplete },
    });
    withRow.add(key).add(OF_PLAYER.has(ofPlayer) ? keyOf(athleteId, WHOLE) : key);
  }
  for (const [key, { player, period, incomplete }] of gaps) {
    if (withRow.has(key)) continue;
    const { name, number, position } = player;
    const known = { session: start, period: shownPeriod(period), player: name, number, position, incomplete };
    cells.push({ period, cells: known });
  }
  return { columns: columnsOf(table, gaps.size > 0), rows: cells };
}

/** Writes a file, in a thread if it has many rows. */
async function written<T>(
  ctx: Context,
  table: FiguresTable,
  timeZone: string | undefined,
  { here, inThread }: { here: (file: CellTable) => T; inThread: (file: CellTable) => Promise<T> },
): Promise<T> {
  const { columns, rows } = await fileOf(table, timeZone);
  const file: CellTable = {
    columns: columns.map(({ key, title, kind, decimals }) => ({ key, title, kind, decimals })),
    rows: rows.map(({ cells }) => columns.map(({ cell }) => cell(cells))),
    timeZone,
  };
  if (rows.length <= ROWS_AT_A_TIME) return here(file);
  return ctx.computer.share(`table ${randomUUID()}`, waiterOf(ctx, table.session.ownerId), () =>
    inThread(file),
  );
}

/** The table as a CSV, as written by `asi squad`. */
export async function tableAsCsv(
  ctx: Context,
  table: FiguresTable,
  timeZone: string | undefined,
): Promise<Tagged & { csv: string }> {
  const csv = await written(ctx, table, timeZone, { here: writeCsv, inThread: ctx.computer.writeCsv });
  // Representations have different strong tags (RFC 9110 section 8.8.3).
  return { csv, ...tagged(["text/csv", timeZone ?? "UTC", table.etag]) };
}

/** The table as a Parquet file, as written by `asi squad`. */
export async function tableAsParquet(
  ctx: Context,
  table: FiguresTable,
  timeZone: string | undefined,
): Promise<Tagged & { bytes: Uint8Array }> {
  const bytes = await written(ctx, table, timeZone, {
    here: writeParquet,
    inThread: ctx.computer.writeParquet,
  });
  return { bytes, ...tagged(["parquet", timeZone ?? "UTC", table.etag]) };
}

/** Maximum number of rows of a workbook, because it is written in one piece. */
const MAX_WORKBOOK_ROWS = 10_000;

/**
 * Formats the table as a workbook, as `asi squad` does: a sheet for the whole session and for each period.
 * @throws ServiceError `table_too_large`
 */
export async function tableAsWorkbook(
  ctx: Context,
  table: FiguresTable,
  timeZone: string | undefined,
): Promise<Tagged & { bytes: Uint8Array }> {
  const { columns, rows } = await fileOf(table, timeZone);
  if (rows.length > MAX_WORKBOOK_ROWS)
    throw errors.conflict(
      "table_too_large",
      `A workbook has at most ${MAX_WORKBOOK_ROWS} rows, and the table has ${rows.length}. Use CSV or Parquet.`,
    );
  const byPeriod = groupBy(rows, ({ period }) => period);
  const sheetColumns = periodSheetColumns(columns);
  const sheets = [...new Set([WHOLE, ...byPeriod.keys()])].map((period) => {
    const own = (byPeriod.get(period) ?? []).map(({ cells }) => cells);
    return sheetOf(period === WHOLE ? "Session" : period, sheetColumns, own, timeZone);
  });
  const { ownerId } = table.session;
  const bytes = await ctx.computer.share(`workbook ${randomUUID()}`, waiterOf(ctx, ownerId), () =>
    ctx.computer.writeWorkbook(sheets),
  );
  // The file contains the time at which it was written, so the bytes of an unchanged table differ.
  return { bytes, etag: `W/${tagged(["xlsx", timeZone ?? "UTC", table.etag]).etag}` };
}

const instant = (ms: Cell | undefined) => (typeof ms === "number" ? new Date(ms).toISOString() : null);

const numberIn = (cell: Cell | undefined) => (typeof cell === "number" ? cell : null);

const definitionWithoutHeart = (definition: NonNullable<PlayerFigures["definition"]>) => ({
  ...definition,
  parameters: withoutHeart(definition.parameters),
});

/** Returns the table as JSON. */
export const tableAsJson = ({
  session,
  rows,
  leftOut,
  computing,
  matchNote,
  hasHeart,
  wanted,
}: FiguresTable) => ({
  session: session.id,
  ...(Object.keys(cautionsWanted(wanted)).length > 0 && { cautions: cautionsWanted(wanted) }),
  match_note: matchNote,
  rows: rows.map(({ player, period, found, periodMs, coverage, timeframes, leftOut, computedAt }) => {
    const { cells, figures, hrCoverage, definition } = found;
    return {
      athlete: player.athleteId,
      player: player.name,
      number: player.number,
      position: player.position,
      period: period === WHOLE ? null : period,
      start: instant(cells.start),
      end: instant(cells.end),
      figures: { ...(hasHeart ? figures : withoutHeart(figures)), ...figuresWanted(found, wanted) },
      ...(wanted.with_profile && { profile_reason: found.further?.profileReason ?? null }),
      high_speed_from_m_per_s: numberIn(cells.high_speed_from_m_per_s),
      sprint_from_m_per_s: numberIn(cells.sprint_from_m_per_s),
      period_minutes: periodMs / 60_000,
      bench_minutes: numberIn(cells.bench_minutes),
      share_with_data: coverage,
      ...(hasHeart ? { share_with_hr: hrCoverage } : {}),
      too_fast_rows: numberIn(cells.too_fast_rows),
      definition: definition && {
        ...(hasHeart ? definition : definitionWithoutHeart(definition)),
        ...definitionsWanted(wanted),
      },
      timeframes,
      left_out_devices: [...leftOut].map(([serial, frames]) => ({
        serial,
        timeframes: frames.map(({ id }) => id),
      })),
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
