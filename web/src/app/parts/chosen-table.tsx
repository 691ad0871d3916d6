import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useKept } from "../../view/kept-state.js";
import { useFirstRows } from "./first-rows.js";
import { Nothing } from "./nothing.js";
import type { Column } from "./records.js";

export interface SortedColumn<Row> extends Column<Row> {
  /** Returns the value by which the column is sorted. A column without this function cannot be sorted. */
  sortBy?: (row: Row) => string | number | null;
}

interface Props<Row> {
  /** Name of the rows, such as "players". */
  what: string;
  rows: readonly Row[];
  /** The first column names the row, and is the initial sort column. */
  columns: readonly SortedColumn<Row>[];
  keyOf: (row: Row) => number;
  /** Returns the name of a row, for the search and for the label of its check box. */
  nameOf: (row: Row) => string;
  /** The content shown next to the search. */
  controls?: ComponentChildren;
  /** The buttons for the selected rows. If they are absent, rows cannot be selected. */
  actions?: (chosen: readonly Row[]) => ComponentChildren;
  /** The content shown instead of an empty table. */
  empty: ComponentChildren;
}

const ORDER = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Compares two values of a column. Rows without a value are last in both orders. */
function compare(a: string | number | null, b: string | number | null, isFalling: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : ORDER.compare(String(a), String(b));
  return isFalling ? -order : order;
}

/** A table whose rows the user can search, sort, and select for an action on several rows. */
export function ChosenTable<Row>(props: Props<Row>) {
  const { what, rows, columns, keyOf, nameOf, controls, actions, empty } = props;
  const [searched, setSearched] = useKept("search", "");
  const [sort, setSort] = useKept("sort", { name: columns[0]?.name ?? "", isFalling: false });
  const [keys, setKeys] = useState<ReadonlySet<number>>(new Set());
  const wanted = searched.trim().toLowerCase();
  const found = rows.filter((row) => nameOf(row).toLowerCase().includes(wanted));
  const sortBy = columns.find(({ name }) => name === sort.name)?.sortBy;
  if (sortBy !== undefined) found.sort((a, b) => compare(sortBy(a), sortBy(b), sort.isFalling));
  const [shown, more] = useFirstRows(found);
  // rows that no longer exist, or that the search hides, are not selected
  const chosen = found.filter((row) => keys.has(keyOf(row)));
  const label = `Search ${what}`;
  const choose = (some: readonly Row[], isChosen: boolean) => {
    const next = new Set(keys);
    for (const row of some) {
      if (isChosen) next.add(keyOf(row));
      else next.delete(keyOf(row));
    }
    setKeys(next);
  };
  return (
    <div class="panel padded">
      <div class="section-head">
        <input
          type="search"
          class="search"
          aria-label={label}
          placeholder={label}
          value={searched}
          onInput={({ currentTarget }) => setSearched(currentTarget.value)}
        />
        <div class="buttons">{controls}</div>
      </div>
      {rows.length === 0 ? (
        empty
      ) : found.length === 0 ? (
        <Nothing title={`None of the ${what} is called “${searched.trim()}”.`}>
          <p>Search for something else, or clear the search.</p>
        </Nothing>
      ) : (
        <>
          {actions === undefined ? null : (
            <div class="chosen-rows">
              <label class="check">
                <input
                  type="checkbox"
                  checked={chosen.length === found.length}
                  onChange={({ currentTarget }) => choose(found, currentTarget.checked)}
                />
                Choose all {found.length}
              </label>
              <span class="muted" role="status">
                {chosen.length === 0 ? "" : `${chosen.length} chosen`}
              </span>
              {chosen.length === 0 ? null : <div class="buttons">{actions(chosen)}</div>}
            </div>
          )}
          <div class="scrolled-x">
            <table class="records chosen-table">
              <thead>
                <tr>
                  {actions === undefined ? null : <td />}
                  {columns.map((column) => (
                    <Head key={column.name} column={column} sort={sort} onSort={setSort} />
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map((row) => (
                  <tr key={keyOf(row)}>
                    {actions === undefined ? null : (
                      <td class="choice">
                        <input
                          type="checkbox"
                          aria-label={`Choose ${nameOf(row)}`}
                          checked={keys.has(keyOf(row))}
                          onChange={({ currentTarget }) => choose([row], currentTarget.checked)}
                        />
                      </td>
                    )}
                    {columns.map(({ name, of, class: className = "" }, i) =>
                      i === 0 ? (
                        <th key={name} scope="row">
                          {of(row)}
                        </th>
                      ) : (
                        <td key={name} class={className} data-label={name || undefined}>
                          {of(row)}
                        </td>
                      ),
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {more}
        </>
      )}
    </div>
  );
}

interface Sort {
  name: string;
  isFalling: boolean;
}

function Head<Row>({
  column: { name, sortBy },
  sort,
  onSort,
}: {
  column: SortedColumn<Row>;
  sort: Sort;
  onSort: (sort: Sort) => void;
}) {
  if (name === "") return <td />;
  if (sortBy === undefined) return <th scope="col">{name}</th>;
  const isSorted = sort.name === name;
  return (
    <th scope="col" aria-sort={isSorted ? (sort.isFalling ? "descending" : "ascending") : undefined}>
      <button
        type="button"
        class="quiet"
        onClick={() => onSort({ name, isFalling: isSorted && !sort.isFalling })}
      >
        {name}
        {isSorted ? (sort.isFalling ? " ▼" : " ▲") : ""}
      </button>
    </th>
  );
}
