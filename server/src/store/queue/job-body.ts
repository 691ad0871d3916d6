import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { constants, createInflate, deflate } from "node:zlib";
import { eq, sql } from "drizzle-orm";
import type { Queries } from "../connection/database.js";
import { jobs } from "../schema.js";

/** Bytes that one statement reads. Between two statements, other events and statements of other connections are handled. */
export const SLICE_BYTES = 1024 * 1024;

/** Output of one step. Each step takes a turn of the event loop, and the default is 16 KiB. */
const COMPRESSION_CHUNK_BYTES = 256 * 1024;

const deflated = promisify(deflate);

/**
 * Compresses the bytes of a job in a thread of the pool. Recordings shrink to between a half and a sixth, which saves the
 * database more time than it costs. On the embedded database, all other statements wait for a long one, and its memory is
 * never released.
 */
export const compressBody = (bytes: Uint8Array): Promise<Uint8Array> =>
  deflated(bytes, { level: constants.Z_BEST_SPEED, chunkSize: COMPRESSION_CHUNK_BYTES });

/**
 * Decompresses the output of `compressBody` from slices.
 *
 * @throws while iterating: when the bytes are damaged or cannot be read
 */
export function decompressBody(slices: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const inflate = createInflate({ chunkSize: COMPRESSION_CHUNK_BYTES });
  pipeline(Readable.from(slices), inflate, () => undefined);
  return inflate;
}

/**
 * Reads the bytes of a job, a slice at a time. The database stores the column uncompressed and in chunks, so it reads only
 * the slice.
 * @param job the id of the job
 * @returns the slices in order, each of at most `SLICE_BYTES`; null when the job has no bytes
 */
export async function bodyOf(
  queries: Queries,
  { id }: { id: number },
): Promise<AsyncGenerator<Uint8Array, void, undefined> | null> {
  const [row] = await queries
    .select({ bytes: sql<number | null>`octet_length(${jobs.body})` })
    .from(jobs)
    .where(eq(jobs.id, id));
  const bytes = row?.bytes ?? null;
  return bytes === null ? null : slicesOf(queries, id, bytes);
}

async function* slicesOf(
  queries: Queries,
  id: number,
  bytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes; from += SLICE_BYTES) {
    const [row] = await queries
      .select({
        slice: sql<Uint8Array | null>`substring(${jobs.body} FROM ${from + 1}::integer FOR ${SLICE_BYTES}::integer)`,
      })
      .from(jobs)
      .where(eq(jobs.id, id));
    // Another worker has finished the job, so this work is rolled back.
    if (row?.slice == null) throw new Error(`The bytes of job ${id} have been removed`);
    yield row.slice;
  }
}
