import { withoutFormula } from "../rows/formula-guard.js";
import { figureOf, SQUAD_COLUMNS, type SquadRow } from "../squad/index.js";

/** A cell of a file: null is empty. */
export type SquadCell = string | number | null;

export interface FileColumn {
  key: string;
  /** For readers, with the unit. */
  title: string;
  /** Decimals that a workbook shows; cells have all digits. */
  decimals: number;
  cell(row: SquadRow): SquadCell;
}

const share = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000);

const yesOrNo = (is: boolean) => (is ? "yes" : "no");

/**
 * The columns of files: who and which period, the figures with their units, the thresholds in use, and the quality. Missing figures are
 * empty, never 0.
 */
export function fileColumns(session: string, instantText: (ms: number) => string): FileColumn[] {
  const column = (key: string, title: string, cell: FileColumn["cell"], decimals = 0) => ({
    key,
    title,
    decimals,
    cell,
  });
  const timeOf = (ms: number | null | undefined) => (ms == null ? null : instantText(ms));
  return [
    column("session", "Session", () => session),
    column("period", "Period", ({ period }) => period ?? "session"),
    column("player", "Player", ({ member }) => member.name),
    column("number", "Number", ({ member }) => member.player?.number ?? null),
    column("position", "Position", ({ member }) => member.player?.position ?? null),
    column("serial", "Serial number", ({ member }) =>
      member.recordings.map(({ serial }) => serial).join(" "),
    ),
    column("start", "Start", ({ metrics }) => timeOf(metrics?.first_timestamp)),
    column("end", "End", ({ metrics }) => timeOf(metrics?.last_timestamp)),
    ...SQUAD_COLUMNS.map((figure) =>
      column(
        figure.key,
        figure.unit === "" || figure.key === "minutes" ? figure.title : `${figure.title}, ${figure.unit}`,
        (row) => {
          const value = figureOf(row, figure);
          // the digits of the figures themselves: products of them have binary tails
          return value === null ? null : Math.round(value * 10_000) / 10_000;
        },
        figure.decimals,
      ),
    ),
    column(
      "high_speed_from_m_per_s",
      "High speed from, m/s",
      ({ metrics }) => metrics?.definition.parameters.hid_thresholds[1] ?? null,
      2,
    ),
    column(
      "sprint_from_m_per_s",
      "Sprint from, m/s",
      ({ metrics }) => metrics?.definition.parameters.sprint_threshold ?? null,
      2,
    ),
    column(
      "period_minutes",
      "Length of the period, min",
      ({ periodMs }) => Math.round(periodMs / 6) / 10_000,
      1,
    ),
    column("share_with_data", "Share with data", ({ coverage }) => share(coverage), 2),
    column("share_with_hr", "Share with heart rate", ({ hrCoverage }) => share(hrCoverage), 2),
    column("too_fast_rows", "Rows ignored as too fast", ({ metrics }) => metrics?.too_fast.samples ?? null),
    column("damaged", "Damaged", ({ member }) =>
      yesOrNo(member.recordings.some(({ isDamaged }) => isDamaged)),
    ),
    column("truncated", "Ends within a frame", ({ member }) =>
      yesOrNo(member.recordings.some(({ isTruncated }) => isTruncated)),
    ),
  ];
}

export interface CsvLayout {
  delimiter: string;
  decimalMark: string;
}

/** A table as CSV (RFC 4180), with a header line if asked for. */
export function squadCsv(
  columns: readonly FileColumn[],
  rows: readonly SquadRow[],
  layout: CsvLayout,
  hasHeader: boolean,
): string {
  const lines = rows.map((row) =>
    columns.map(({ cell }) => fieldOf(cell(row), layout)).join(layout.delimiter),
  );
  const header = columns.map(({ key }) => key).join(layout.delimiter);
  return [...(hasHeader ? [header] : []), ...lines].map((line) => `${line}\n`).join("");
}

/** The rows as JSON lines, with the same keys. */
export function squadJsonLines(columns: readonly FileColumn[], rows: readonly SquadRow[]): string {
  return rows
    .map((row) => `${JSON.stringify(Object.fromEntries(columns.map(({ key, cell }) => [key, cell(row)])))}\n`)
    .join("");
}

function fieldOf(cell: SquadCell, { delimiter, decimalMark }: CsvLayout): string {
  if (cell === null) return "";
  const text = typeof cell === "number" ? String(cell).replace(".", decimalMark) : withoutFormula(cell);
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
