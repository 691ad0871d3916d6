import type { ComponentChildren } from "preact";

/** A column of a table. It becomes a line of a card if the columns do not fit. */
export interface Column<Row> {
  /** The heading. It is empty for a column that needs none, such as a column of buttons. */
  name: string;
  of: (row: Row) => ComponentChildren;
  class?: string;
}

interface Props<Row> {
  rows: readonly Row[];
  /** The first column names the row. */
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string | number;
}

/** A table of records. */
export function Records<Row>({ rows, columns, keyOf }: Props<Row>) {
  return (
    <div class="scrolled-x">
      <table class="records">
        <thead>
          <tr>
            {columns.map(({ name }) =>
              name === "" ? (
                <td key={name} />
              ) : (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
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
  );
}
