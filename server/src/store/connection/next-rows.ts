import { type SQL, sql } from "drizzle-orm";

/** Number of bytes after which a statement removes no further row. The values of a thousand rows can have gigabytes. */
const BYTES_AT_A_TIME = 8 * 1024 ** 2;

interface Next {
  order?: SQL | undefined;
  limit: number;
  /** How the rows are locked. */
  lock: SQL;
  /** A column with long values; without it, only the number of rows is limited. */
  long?: SQL | undefined;
}

/** Returns the array of the `ctid` of the next rows that a statement changes or removes. */
export function nextRows(
  table: SQL,
  condition: SQL | undefined,
  { order = sql``, limit, lock, long }: Next,
): SQL {
  const bytes = long && sql`, coalesce(pg_column_size(${long}), 0) AS bytes`;
  const next = sql`SELECT ctid ${bytes} FROM ${table} WHERE ${condition} ${order} LIMIT ${limit} ${lock}`;
  return long === undefined
    ? sql`ARRAY(${next})`
    : sql`ARRAY(SELECT ctid FROM (
        SELECT ctid, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (${next}) AS next
      ) AS counted WHERE bytes_before < ${BYTES_AT_A_TIME})`;
}
