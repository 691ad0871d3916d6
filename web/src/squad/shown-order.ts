import type { ReadonlySignal } from "@preact/signals";
import { SQUAD_COLUMNS, type SquadColumn, type SquadRow, sortRows } from "asi-convert/squad";
import { valueIn } from "./columns.js";

/** The figure by which rows are sorted; `roster` sorts them as in the roster. */
export interface Sort {
  key: string;
  isAscending: boolean;
}

/** The sort before one is chosen. */
export const FIRST_SORT: Sort = { key: "distance_m", isAscending: false };

/** What the order of the rows follows from. */
interface Order {
  sort: Sort;
  isPerMinute: boolean;
}

/** The part of a session that says it. */
interface OrderState {
  isReading: ReadonlySignal<boolean>;
  sort: ReadonlySignal<Sort>;
  isPerMinute: ReadonlySignal<boolean>;
}

/** While files are read, rows stay where the roster has them. */
export const orderOf = ({ isReading, sort, isPerMinute }: OrderState): Order => ({
  sort: isReading.value ? { key: "roster", isAscending: false } : sort.value,
  isPerMinute: isPerMinute.value,
});

/** The column by which rows are sorted; undefined: they are in the order of the roster. */
export const sortColumn = ({ key }: Sort): SquadColumn | undefined =>
  SQUAD_COLUMNS.find((column) => column.key === key);

/** Whether it is neither the first one nor the order of the roster. */
export const isChosen = (sort: Sort): boolean =>
  sortColumn(sort) !== undefined &&
  !(sort.key === FIRST_SORT.key && sort.isAscending === FIRST_SORT.isAscending);

/** Rows in the order in which the table shows them. Copies, files, reports and prints have the same. */
export function inShownOrder<R extends SquadRow>(rows: readonly R[], { sort, isPerMinute }: Order): R[] {
  const column = sortColumn(sort);
  if (column === undefined) return [...rows];
  const shown: SquadColumn = { ...column, value: (metrics) => valueIn({ metrics }, column, isPerMinute) };
  return sortRows(rows, shown, sort.isAscending);
}
