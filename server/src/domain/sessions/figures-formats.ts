import { randomUUID } from "node:crypto";
import { instantFormat, SQUAD_COLUMNS } from "asi-convert/squad";
import {
  type Cell,
  FILE_COLUMNS,
  periodSheetColumns,
  sheetOf,
  tableCsv,
  tableParquet,
  textLayout,
} from "asi-convert/squad-report";
import type { PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { type Tagged, tagged } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
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

/** Column by column as in files of `asi squad`. */
function cellsOf(
  { player, period, found, periodMs, coverage }: FiguresRow,
  session: string,
  wanted: WantedColumns,
) {
  return {
    ...found.cells,
    ...cellsWanted(found, wanted),
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

const LAST_FIGURE = SQUAD_COLUMNS.at(-1)?.key;

/** The columns of the files of `asi squad` that the role of the caller includes. */
const columnsOf = ({ hasHeart, wanted }: FiguresTable) =>
  [
    ...FILE_COLUMNS.flatMap((column) =>
      column.key === LAST_FIGURE ? [column, ...numberColumnsWanted(wanted)] : [column],
    ),
    ...textColumnsWanted(wanted),
  ]
    .filter(({ key }) => hasHeart || !isHeartKey(key))
    .map((column) => ({
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
    rows.map((row) => cellsOf(row, start, table.wanted)),
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
    rows.map((row) => cellsOf(row, start, table.wanted)),
  );
  return { bytes, ...tagged(["parquet", timeZone ?? "UTC", etag]) };
}

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
  const columns = periodSheetColumns(columnsOf(table));
  const periods = new Set([WHOLE, ...rows.map(({ period }) => period)]);
  const sheets = [...periods].map((period) => {
    const own = rows.filter((row) => row.period === period).map((row) => cellsOf(row, start, table.wanted));
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

const definitionWithoutHeart = (definition: NonNullable<PlayerFigures["definition"]>) => ({
  ...definition,
  parameters: withoutHeart(definition.parameters),
});

/** The table as JSON. */
export const tableAsJson = ({ session, rows, leftOut, computing, hasHeart, wanted }: FiguresTable) => ({
  session: session.id,
  ...(Object.keys(cautionsWanted(wanted)).length > 0 && { cautions: cautionsWanted(wanted) }),
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
