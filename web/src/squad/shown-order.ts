import type { ReadonlySignal } from "@preact/signals";
import { SQUAD_COLUMNS, type SquadColumn, type SquadRow, sortRows } from "asi-convert/squad";
import { valueIn } from "./columns.js";

/** The figure that sorts the rows. `roster` sorts them as in the roster. */
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
  /** Columns of recipes and optional figures, which can also sort the rows. */
  counts: readonly SquadColumn[];
}

/** The part of a session that determines the order. */
interface OrderState {
  isReading: ReadonlySignal<boolean>;
  sort: ReadonlySignal<Sort>;
  isPerMinute: ReadonlySignal<boolean>;
  figures: ReadonlySignal<{ counts: readonly SquadColumn[] }>;
}

/** Returns the order of the rows, which is that of the roster while files are read. */
export const orderOf = ({ isReading, sort, isPerMinute, figures }: OrderState): Order => ({
  sort: isReading.value ? { key: "roster", isAscending: false } : sort.value,
  isPerMinute: isPerMinute.value,
  counts: figures.value.counts,
});

/** Returns the column that sorts the rows, or undefined for the order of the roster. */
export const sortColumn = ({ sort, counts }: Pick<Order, "sort" | "counts">): SquadColumn | undefined =>
  [...SQUAD_COLUMNS, ...counts].find(({ key }) => key === sort.key);

/** Returns whether the sort is neither the default nor the order of the roster. */
export const isChosen = ({ sort, counts }: Order): boolean =>
  sortColumn({ sort, counts }) !== undefined &&
  !(sort.key === FIRST_SORT.key && sort.isAscending === FIRST_SORT.isAscending);

/** Sorts rows in the order of the table. Copies, files, reports and prints also use this order. */
export function inShownOrder<R extends SquadRow>(rows: readonly R[], order: Order): R[] {
  const { sort, isPerMinute } = order;
  const column = sortColumn(order);
  if (column === undefined) return [...rows];
  const shown: SquadColumn = { ...column, value: (_, figures) => valueIn(figures, column, isPerMinute) };
  return sortRows(rows, shown, sort.isAscending);
}
