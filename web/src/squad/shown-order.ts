import type { ReadonlySignal } from "@preact/signals";
import { SQUAD_COLUMNS, type SquadColumn, type SquadRow, sortRows } from "asi-convert/squad";
import { valueIn } from "./columns.js";

/** The figure that sorts the rows; `roster` sorts them as in the roster. */
export interface Sort {
  key: string;
  isAscending: boolean;
}

/** The default sort. */
export const FIRST_SORT: Sort = { key: "distance_m", isAscending: false };

/** Inputs of the order of the rows. */
interface Order {
  sort: Sort;
  isPerMinute: boolean;
}

/** The part of a session that determines the order. */
interface OrderState {
  isReading: ReadonlySignal<boolean>;
  sort: ReadonlySignal<Sort>;
  isPerMinute: ReadonlySignal<boolean>;
}

/** While files are read, rows are in the order of the roster. */
export const orderOf = ({ isReading, sort, isPerMinute }: OrderState): Order => ({
  sort: isReading.value ? { key: "roster", isAscending: false } : sort.value,
  isPerMinute: isPerMinute.value,
});

/** The column that sorts the rows; undefined for the order of the roster. */
export const sortColumn = ({ key }: Sort): SquadColumn | undefined =>
  SQUAD_COLUMNS.find((column) => column.key === key);

/** Whether the sort is neither the default nor the order of the roster. */
export const isChosen = (sort: Sort): boolean =>
  sortColumn(sort) !== undefined &&
  !(sort.key === FIRST_SORT.key && sort.isAscending === FIRST_SORT.isAscending);

/** Rows in the order of the table. Copies, files, reports and prints use it too. */
export function inShownOrder<R extends SquadRow>(rows: readonly R[], { sort, isPerMinute }: Order): R[] {
  const column = sortColumn(sort);
  if (column === undefined) return [...rows];
  const shown: SquadColumn = { ...column, value: (_, figures) => valueIn(figures, column, isPerMinute) };
  return sortRows(rows, shown, sort.isAscending);
}
