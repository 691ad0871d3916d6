import { and, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Page } from "../../wire/types.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { envelope, type Paging, paging, requirePage } from "./listing.js";
import { separatedJson } from "./streamed-array.js";

/** Maximum estimated size of the rows in one batch, unless a single row is larger. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_ROWS = 100;
/** Size of a row without its measured columns. */
const ROW_BYTES = 2048;

/** Assumed compression ratio of stored values. A value with a higher ratio may make its batch larger than estimated. */
const COMPRESSION = 100;
/** Size of the largest possible value: a GPX document. */
const MAX_VALUE_BYTES = 5 * 1024 * 1024;

/** Estimates the bytes of a column's value without reading it. Overestimates, because the result limits memory. */
const weightOf = (column: PgColumn | SQL): SQL<number> =>
  sql<number>`least(coalesce(pg_column_size(${column}), 0)::bigint * ${sql.raw(String(COMPRESSION))}, ${sql.raw(String(MAX_VALUE_BYTES))})`;

/** Counts the bytes of a column's value as sent. The database reads the value for this. */
const sizeOf = (column: PgColumn | SQL): SQL<number> =>
  sql<number>`coalesce(octet_length(${column}::text), 0)::bigint`;

/**
 * A page whose results can be several megabytes each. It is read and sent in batches, to limit memory and to keep the
 * event loop free.
 */
export class StreamedPage<T> {
  readonly #head: Page<never>;
  readonly #batches: AsyncIterable<T[]>;
  /** Estimated bytes of the largest batch, which is the memory used during the transfer. */
  readonly heldBytes: number;

  constructor(head: Page<never>, batches: AsyncIterable<T[]>, heldBytes: number) {
    this.#head = head;
    this.#batches = batches;
    this.heldBytes = heldBytes;
  }

  /** Yields the page as JSON text in pieces. */
  async *json(): AsyncGenerator<string> {
    // `results` is the last member.
    yield JSON.stringify(this.#head).slice(0, -"]}".length);
    yield* separatedJson(this.#batches);
    yield "]}";
  }
}

interface Keyed {
  id: number;
}

/**
 * Reads one page of a list whose rows may be large. The page remains incomplete when the caller is signed out during the
 * transfer.
 * @param of table, its id, its column with large values, and the condition of the whole list, which each batch applies again
 * @param order a total order, from `orderBy`
 * @throws ServiceError `page_too_large` on the field `limit` when the large values exceed `PAGE_MAX_BYTES`: a shorter page would
 *   omit results, because the next page begins after `limit` results
 */
export async function streamedPage<Row extends Keyed, T>(
  ctx: Context,
  of: { table: PgTable; id: PgColumn; large: PgColumn; where: SQL | undefined },
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
    .select({ id: sql<number>`${of.id}`.mapWith(Number), weight: weightOf(of.large).mapWith(Number) })
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
    // Skip rows deleted since the keys were read.
    return toResources(ids.flatMap((id) => byId.get(id) ?? []));
  }

  const ofBatches = [...batchesOf(keys)];
  await requireSize(ctx, of, ofBatches, keys);
  const [firstIds, ...laterIds] = ofBatches;
  // Read the first batch before the response starts. A failure then becomes an error response.
  const first = firstIds === undefined ? [] : await read(firstIds);
  async function* batches(): AsyncGenerator<T[]> {
    yield first;
    for (const ids of laterIds) {
      await recheck();
      yield await read(ids);
    }
  }
  const heldBytes = Math.min(BATCH_BYTES, bytesOfAll(keys) + BATCH_ROWS * ROW_BYTES);
  return new StreamedPage(envelope<never>(count, at, []), batches(), heldBytes);
}

const bytesOfAll = (keys: readonly { weight: number }[]) => keys.reduce((sum, { weight }) => sum + weight, 0);

/**
 * Checks the size of the page. If the estimate is too large, measures the values in the batches in which they would be
 * read, until they exceed the limit.
 */
async function requireSize(
  { queries, config, signal }: Context,
  { table, id, large }: { table: PgTable; id: PgColumn; large: PgColumn },
  batches: readonly (readonly number[])[],
  keys: readonly { weight: number }[],
): Promise<void> {
  const { pageMaxBytes } = config;
  if (bytesOfAll(keys) <= pageMaxBytes) return;
  let bytes = 0;
  let rows = 0;
  for (const ids of batches) {
    signal?.throwIfAborted();
    const measured = await queries
      .select({ id: sql<number>`${id}`.mapWith(Number), bytes: sizeOf(large).mapWith(Number) })
      .from(table)
      .where(inArray(id, [...ids]));
    const bytesOf = new Map(measured.map((one) => [one.id, one.bytes]));
    for (const one of ids) {
      bytes += bytesOf.get(one) ?? 0;
      if (bytes > pageMaxBytes && rows > 0) throw tooLarge(pageMaxBytes, rows);
      rows += 1;
    }
  }
}

const tooLarge = (bytes: number, fitting: number) =>
  errors.field(
    "limit",
    `This page has more than ${bytes} bytes. Request fewer results per page: ${fitting} of these fit.`,
    "page_too_large",
  );

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
