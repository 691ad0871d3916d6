import { type CursorPage, encodeCursor } from "../../wire/cursor.js";
import { CURSOR_LIMITS } from "../../wire/page-limits.js";
import { Query } from "../../wire/types.js";

/** Number of rows that a page of a search looks through. A list can be long, and other requests wait for a long statement. */
const SEARCHED = 5_000;

/** Declares the parameter `search` of a list that uses `endOfSearch`. */
export const searchQuery = (description: string, rows: string) =>
  Query.text(
    `${description}. A page searches ${SEARCHED.toLocaleString("en")} ${rows}, so it can have few results or none although \`next\` is not null`,
  );

/** A query in the order of a list, to which the database adds an offset and a limit. */
interface OrderedIds {
  offset(count: number): { limit(count: number): PromiseLike<{ id: number }[]> };
}

/**
 * Returns the `endOf` of a page that is searched.
 * @param idsAfter selects the rows that `read` would look through
 */
export const endOfSearch =
  (search: string | undefined, idsAfter: (after: number) => OrderedIds) =>
  async (after: number): Promise<number | undefined> => {
    if (search === undefined) return undefined;
    const [end] = await idsAfter(after)
      .offset(SEARCHED - 1)
      .limit(1);
    return end?.id;
  };

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
