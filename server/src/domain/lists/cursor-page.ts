import { type CursorPage, encodeCursor } from "../../wire/cursor.js";
import { CURSOR_LIMITS } from "../../wire/page-limits.js";

/**
 * Returns a page of a list in id order, starting after a cursor.
 * @param read reads the rows with ids above `after`, at most `limit`
 * @param endOf returns the last id that `read` looks through; undefined if it looks through all
 */
export async function cursorPage<Row extends { id: number }, T>(
  { cursor = 0, limit = CURSOR_LIMITS.default }: { cursor?: number; limit?: number },
  toResource: (row: Row) => T,
  read: (after: number, limit: number, end: number | undefined) => Promise<Row[]>,
  endOf: (after: number) => Promise<number | undefined> = async () => undefined,
): Promise<CursorPage<T>> {
  const end = await endOf(cursor);
  const rows = await read(cursor, limit + 1, end);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.id : end;
  return { results: shown.map(toResource), next: last === undefined ? null : encodeCursor(last) };
}
