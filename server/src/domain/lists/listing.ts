import { and, asc, type Column, desc, ilike, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect } from "drizzle-orm/pg-core";
import type { Queries } from "../../store/connection/database.js";
import { PAGE_LIMITS } from "../../wire/page-limits.js";
import type { Page } from "../../wire/types.js";
import { errors } from "../change/errors.js";

export interface Paging {
  page?: string | undefined;
  limit?: string | undefined;
}

/**
 * Reads `page` and `limit`. A limit that is not a positive number is replaced by the default, and a limit above the maximum by
 * the maximum.
 * @throws ServiceError `not_found` when `page` is not a positive integer
 */
export function paging(
  query: Paging,
  limits: { default: number; max: number } = PAGE_LIMITS,
): { page: number; limit: number } {
  const page = query.page === undefined ? 1 : /^\d+$/.test(query.page) ? Number(query.page) : 0;
  if (page < 1 || !Number.isSafeInteger(page)) throw invalidPage();
  const wanted = /^\d+$/.test(query.limit ?? "") ? Number(query.limit) : 0;
  return { page, limit: wanted === 0 ? limits.default : Math.min(wanted, limits.max) };
}

const invalidPage = () => errors.notFound("Invalid page.");

/**
 * Returns the envelope of one page of results.
 * @param count number of all results
 * @throws ServiceError `not_found` beyond the last page; the first page of an empty list is empty
 */
export function envelope<T>(
  count: number,
  { page, limit }: { page: number; limit: number },
  results: T[],
): Page<T> {
  return {
    count,
    page,
    next: page * limit < count ? page + 1 : null,
    previous: page > 1 ? page - 1 : null,
    results,
  };
}

/** @throws ServiceError `not_found` when the page is beyond the last one */
export function requirePage(count: number, { page, limit }: { page: number; limit: number }): void {
  if (page > 1 && (page - 1) * limit >= count) throw invalidPage();
}

/** Fields that can order a list: names in the API and columns. */
export type Orderings = Readonly<Record<string, PgColumn | SQL>>;

/** Returns the fields of `ordering` in lower case. */
export const orderingFields = (ordering: string): { field: string; descending: boolean }[] =>
  ordering.split(",").map((part) => {
    const name = part.trim().toLowerCase();
    const descending = name.startsWith("-");
    return { field: descending ? name.slice(1) : name, descending };
  });

/**
 * Converts `ordering` to a total order: the given fields, nulls last in both directions, then the id. Text is compared in lower
 * case, by code point on every database. Field names are case-insensitive; unknown fields are ignored, and reported.
 */
export function orderBy(ordering: string | undefined, orderings: Orderings, id: PgColumn): SQL[] {
  const seen = new Set<string>();
  const named = orderingFields(ordering ?? "").flatMap(({ field, descending }) => {
    // A repeated field does not affect the order.
    if (seen.has(field)) return [];
    seen.add(field);
    const column = Object.hasOwn(orderings, field) ? orderings[field] : undefined;
    if (column === undefined) return [];
    const compared = "columnType" in column && isText(column) ? sql`lower(${column}) COLLATE "C"` : column;
    return [sql`${descending ? desc(compared) : asc(compared)} NULLS LAST`];
  });
  return [...named, asc(id)];
}

const isText = (column: Column) => column.columnType === "PgText";

/** Returns a pattern of LIKE for "contains"; `%`, `_` and `\` are literal. */
const patternOf = (value: string): string => `%${value.replace(/[\\%_]/g, "\\$&")}%`;

/** Returns a condition for "contains": case-insensitive. */
export const contains = (column: PgColumn | SQL, value: string | undefined): SQL | undefined =>
  value === undefined ? undefined : ilike(column, patternOf(value));

/** Returns the terms of a search, which are separated by spaces and commas, except in quoted phrases. */
export function searchTerms(search: string): string[] {
  return [...search.matchAll(/"([^"]*)"|'([^']*)'|([^\s,]+)/g)]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? "")
    .filter((term) => term !== "");
}

/** Limits the terms, because the database compares each term with each row. */
const MAX_SEARCH_TERMS = 20;

/**
 * Returns a condition for `search`: each term occurs in at least one of the columns.
 * @throws ServiceError on the field `search` when there are too many terms
 */
export function matchesSearch(
  search: string | undefined,
  columns: readonly (PgColumn | SQL)[],
): SQL | undefined {
  if (search === undefined) return undefined;
  const terms = [...new Set(searchTerms(search))];
  if (terms.length > MAX_SEARCH_TERMS) {
    throw errors.field("search", `Search for at most ${MAX_SEARCH_TERMS} terms.`);
  }
  if (terms.length === 0) return undefined;
  // `ILIKE` would convert each column to lower case once for each term. No text contains the separator. With `OFFSET 0`, the
  // database computes the text once for each row.
  const text = sql`lower(concat_ws(chr(31), ${sql.join([...columns], sql`, `)}))`;
  const found = terms.map((term) => sql`searched.text LIKE lower(${patternOf(term)})`);
  return sql`EXISTS (SELECT FROM (SELECT ${text} AS text OFFSET 0) AS searched WHERE ${and(...found)})`;
}

/**
 * Reads one page of a list.
 * @param matching query for the whole list, filtered but neither ordered nor limited
 * @param order a total order, from `orderBy`
 */
export async function listPage<Query extends PgSelect, T>(
  queries: Queries,
  matching: Query,
  order: SQL[],
  query: Paging,
  toResource: (row: Awaited<Query>[number]) => T,
): Promise<Page<T>> {
  const at = paging(query);
  const counted = await queries.execute<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM (${matching}) AS matching`,
  );
  const count = counted.rows[0]?.count ?? 0;
  requirePage(count, at);
  const rows = await matching
    .orderBy(...order)
    .limit(at.limit)
    .offset((at.page - 1) * at.limit);
  return envelope(count, at, rows.map(toResource));
}
