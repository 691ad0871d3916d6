import {
  byPosition,
  isAtLeast,
  positionOf,
  recordedTimeMs,
  type SquadColumn,
  wholeRows,
} from "asi-convert/squad";
import { decimal } from "../view/values.js";
import { decimalsOf, valueIn } from "./columns.js";
import { AGAINST_RANGE, LEAST_PER_MINUTE_MS, MOST_BENCH_SHARE, OUTLIER } from "./rules.js";
import { inShownOrder, type Sort } from "./shown-order.js";
import type { PlayerRow } from "./squad-session.js";

/** The reference for the shading of a cell. */
export type Against = "column" | "position";

/** Form of the table. */
export interface TableForm {
  columns: readonly SquadColumn[];
  sort: Sort;
  /** Columns of recipes and optional figures, shown or not. */
  counts: readonly SquadColumn[];
  isPerMinute: boolean;
  isByPosition: boolean;
  against: Against;
}

/** The shading behind a figure, as shares of the width of the cell. */
export type Shade =
  | { kind: "bar"; share: number }
  | { kind: "dot"; at: number }
  /** The position from the middle, -1 to 1. */
  | { kind: "against"; by: number };

export interface Cell {
  /** The text, which is `–` if the value is unknown. */
  text: string;
  /** Whether the figure lacks a part of the period. */
  isAtLeast: boolean;
  shade: Shade | null;
  /** Whether the value is far from the reference mean. */
  outlier: "above" | "below" | null;
}

export interface Line {
  row: PlayerRow;
  cells: readonly Cell[];
}

export interface Group {
  /** The name of the group, or null for a single group. */
  name: string | null;
  /** Number of players in the means. */
  count: number;
  means: readonly string[];
  lines: readonly Line[];
}

export interface TableModel {
  groups: readonly Group[];
  /** Number of players in the means. */
  count: number;
  means: readonly string[];
  highest: readonly string[];
}

const NONE = "–";

const POSITIONS: Record<string, string> = {
  GK: "Goalkeepers",
  DF: "Defenders",
  MF: "Midfielders",
  FW: "Forwards",
};

/** Returns the table of rows of one scope. */
export function tableModel(rows: readonly PlayerRow[], form: TableForm): TableModel {
  const sorted = inShownOrder(rows, form);
  const shades = form.columns.map((column) => shadeOf(column, rows, form));
  const lineOf = (row: PlayerRow): Line => ({
    row,
    cells: form.columns.map((column, i) => cellOf(row, column, form, shades[i]?.(row) ?? NO_SHADE)),
  });
  const groups = form.isByPosition
    ? byPosition(sorted).map(({ name, rows: own }) => ({
        name: POSITIONS[name] ?? name,
        rows: own as PlayerRow[],
      }))
    : [{ name: null, rows: sorted }];
  return {
    groups: groups.map(({ name, rows: own }) => ({
      name,
      ...meansOf(own, rows, form),
      lines: own.map(lineOf),
    })),
    ...meansOf(rows, rows, form),
    highest: form.columns.map((column) => textOf(highestOf(rows, column, form), column, form)),
  };
}

const NO_SHADE = { shade: null, outlier: null } as const;

function cellOf(
  row: PlayerRow,
  column: SquadColumn,
  form: TableForm,
  { shade, outlier }: Pick<Cell, "shade" | "outlier">,
): Cell {
  const value = valueIn(row, column, form.isPerMinute);
  return {
    text: textOf(value, column, form),
    // sums per minute are rates
    isAtLeast: value !== null && !(form.isPerMinute && column.kind === "sum") && isAtLeast(row, column),
    shade,
    outlier,
  };
}

function textOf(value: number | null, column: SquadColumn, { isPerMinute }: TableForm): string {
  return value === null ? NONE : decimal(value, decimalsOf(column, isPerMinute));
}

/**
 * Returns the rows that count in the means. Values per minute are comparable between players with some minutes of data and little time on
 * the bench. Sums are comparable only between players who play nearly the whole period.
 */
function meanRows(
  own: readonly PlayerRow[],
  all: readonly PlayerRow[],
  { isPerMinute }: TableForm,
): readonly PlayerRow[] {
  if (isPerMinute) {
    return own.filter(({ metrics, benchRecordedMs }) => {
      const recordedMs = metrics === null ? 0 : recordedTimeMs(metrics);
      return recordedMs >= LEAST_PER_MINUTE_MS && benchRecordedMs <= MOST_BENCH_SHARE * recordedMs;
    });
  }
  const whole = wholeRows(all);
  return own.filter((row) => whole.has(row));
}

/** Returns the means and their number of players. If fewer players have the value, the number follows it, as in `150 of 24`. */
function meansOf(
  own: readonly PlayerRow[],
  all: readonly PlayerRow[],
  form: TableForm,
): Pick<TableModel, "count" | "means"> {
  const of = meanRows(own, all, form);
  const means = form.columns.map((column) => {
    const values = valuesOf(of, column, form);
    const text = textOf(mean(values), column, form);
    const isOfFewer = values.length > 0 && values.length < of.length;
    return isOfFewer ? `${text} of ${values.length}` : text;
  });
  return { count: of.length, means };
}

function highestOf(rows: readonly PlayerRow[], column: SquadColumn, form: TableForm): number | null {
  const values = valuesOf(rows, column, form);
  return values.length === 0 ? null : Math.max(...values);
}

function valuesOf(rows: readonly PlayerRow[], column: SquadColumn, { isPerMinute }: TableForm): number[] {
  return rows.map((row) => valueIn(row, column, isPerMinute)).filter((value) => value !== null);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the shading of a column by row. */
function shadeOf(
  column: SquadColumn,
  rows: readonly PlayerRow[],
  form: TableForm,
): (row: PlayerRow) => Pick<Cell, "shade" | "outlier"> {
  const figure = (row: PlayerRow) => valueIn(row, column, form.isPerMinute);
  if (form.against === "position" && column.key !== "minutes") {
    return (row) => {
      const peers = meanRows(rows, rows, form).filter((other) => positionOf(other) === positionOf(row));
      return againstPeers(figure(row), valuesOf(peers, column, form));
    };
  }
  if (column.kind === "sum") {
    const highest = highestOf(rows, column, form) ?? 0;
    return (row) => {
      const value = figure(row);
      if (value === null || highest <= 0) return NO_SHADE;
      return { shade: { kind: "bar", share: value / highest }, outlier: null };
    };
  }
  // a goalkeeper stands for most of a match, and would compress the range of the others
  const field = valuesOf(
    rows.filter((row) => positionOf(row) !== "GK"),
    column,
    form,
  );
  const [low, high] = [Math.min(...field), Math.max(...field)];
  return (row) => {
    const value = figure(row);
    if (value === null || !(high > low)) return NO_SHADE;
    return {
      shade: { kind: "dot", at: Math.min(1, Math.max(0, (value - low) / (high - low))) },
      outlier: null,
    };
  };
}

function againstPeers(value: number | null, peers: readonly number[]): Pick<Cell, "shade" | "outlier"> {
  const middle = mean(peers);
  if (value === null || !middle) return NO_SHADE;
  const by = (value / middle - 1) / AGAINST_RANGE;
  const variance = mean(peers.map((one) => (one - middle) ** 2)) ?? 0;
  const far = OUTLIER.deviations * Math.sqrt(variance);
  const isFar = peers.length >= OUTLIER.leastValues && Math.abs(value - middle) > far;
  return {
    shade: { kind: "against", by: Math.min(1, Math.max(-1, by)) },
    outlier: isFar ? (value > middle ? "above" : "below") : null,
  };
}
