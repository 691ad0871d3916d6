import { type CursorPage, encodeCursor } from "../../wire/cursor.js";
import { CURSOR_LIMITS } from "../../wire/page-limits.js";

/**
 * Returns a page of a list in id order, starting after a cursor.
 * @param read reads the rows with ids above `after`, at most `limit`
 */
export async function cursorPage<Row extends { id: number }, T>(
  { cursor = 0, limit = CURSOR_LIMITS.default }: { cursor?: number; limit?: number },
  toResource: (row: Row) => T,
  read: (after: number, limit: number) => Promise<Row[]>,
): Promise<CursorPage<T>> {
  const rows = await read(cursor, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { results: shown.map(toResource), next: last === undefined ? null : encodeCursor(last.id) };
}
