import { and, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Page } from "../wire/types.js";
import { accessRecheck } from "./access-recheck.js";
import type { Context } from "./context.js";
import { envelope, type Paging, paging, requirePage } from "./listing.js";

/** Rows read in one batch have at most this estimated size, unless a single row is larger. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_ROWS = 100;

/** Assumed compression ratio of stored values. A value with a higher ratio may make its batch larger than estimated. */
const COMPRESSION = 100;
/** The largest value that a row may hold: a GPX document. */
const MAX_VALUE_BYTES = 5 * 1024 * 1024;

/** Estimates the bytes of a column's value without reading it. Estimates high, because it bounds memory. */
export const weightOf = (column: PgColumn | SQL): SQL<number> =>
  sql<number>`least(coalesce(pg_column_size(${column}), 0)::bigint * ${sql.raw(String(COMPRESSION))}, ${sql.raw(String(MAX_VALUE_BYTES))})`;

/**
 * A page whose results may have megabytes each. It is read and sent in batches, so that it neither fills the memory nor
 * blocks the event loop.
 */
export class StreamedPage<T> {
  readonly #head: Page<never>;
  readonly #batches: AsyncIterable<T[]>;

  constructor(head: Page<never>, batches: AsyncIterable<T[]>) {
    this.#head = head;
    this.#batches = batches;
  }

  /** The page as JSON text in pieces. */
  async *json(): AsyncGenerator<string> {
    // `results` is the last member.
    yield JSON.stringify(this.#head).slice(0, -"]}".length);
    let separator = "";
    for await (const batch of this.#batches) {
      for (const result of batch) {
        yield separator + JSON.stringify(result);
        separator = ",";
      }
    }
    yield "]}";
  }
}

interface Keyed {
  id: number;
}

/**
 * Reads one page of a list whose rows may be large. It ends without its end when the caller is signed out while it is sent.
 * @param of the table, its id, and the condition of the whole list, which holds for each batch when it is read
 * @param weight estimated bytes of a row's result, from `weightOf`
 * @param order a total order, from `orderBy`
 */
export async function streamedPage<Row extends Keyed, T>(
  ctx: Context,
  of: { table: PgTable; id: PgColumn; where: SQL | undefined },
  weight: SQL<number>,
  order: SQL[],
  query: Paging,
  toResources: (rows: Row[]) => Promise<T[]>,
): Promise<StreamedPage<T>> {
  const { queries } = ctx;
  const recheck = accessRecheck(ctx);
  const at = paging(query);
  const count = await queries.$count(of.table, of.where);
  requirePage(count, at);
  const keys = await queries
    .select({ id: sql<number>`${of.id}`.mapWith(Number), weight: weight.mapWith(Number) })
    .from(of.table)
    .where(of.where)
    .orderBy(...order)
    .limit(at.limit)
    .offset((at.page - 1) * at.limit);

  async function read(ids: number[]): Promise<T[]> {
    const rows = await queries
      .select()
      .from(of.table)
      .where(and(of.where, inArray(of.id, ids)));
    const byId = new Map((rows as unknown as Row[]).map((row) => [row.id, row]));
    // Rows deleted since the keys were read are skipped.
    return toResources(ids.flatMap((id) => byId.get(id) ?? []));
  }

  const [firstIds, ...laterIds] = batchesOf(keys);
  // Read before the response starts, so that an early failure becomes an error response.
  const first = firstIds === undefined ? [] : await read(firstIds);
  async function* batches(): AsyncGenerator<T[]> {
    yield first;
    for (const ids of laterIds) {
      await recheck();
      yield await read(ids);
    }
  }
  return new StreamedPage(envelope<never>(count, at, []), batches());
}

function* batchesOf(keys: readonly { id: number; weight: number }[]): Generator<number[]> {
  let ids: number[] = [];
  let bytes = 0;
  for (const { id, weight } of keys) {
    if (ids.length > 0 && (ids.length === BATCH_ROWS || bytes + weight > BATCH_BYTES)) {
      yield ids;
      ids = [];
      bytes = 0;
    }
    ids.push(id);
    bytes += weight;
  }
  if (ids.length > 0) yield ids;
}
