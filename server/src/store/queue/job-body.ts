import { randomUUID } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { constants, createDeflate, createInflate, deflate } from "node:zlib";
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../connection/database.js";
import { jobBodies, jobs } from "../schema.js";

/**
 * Number of bytes that one statement writes or reads. Other events and statements run between two statements. The
 * embedded database runs one statement at a time, and takes a few ms for this number.
 */
export const PIECE_BYTES = 256 * 1024;

/** Output size of one step. Each step waits for the event loop, so it is larger than the default of 16 KiB. */
const COMPRESSION_CHUNK_BYTES = 256 * 1024;

const deflated = promisify(deflate);

const COMPRESSION = { level: constants.Z_BEST_SPEED, chunkSize: COMPRESSION_CHUNK_BYTES };

/**
 * Compresses the bytes of a job in a thread of the pool. Recordings shrink to between a half and a sixth of their size,
 * which saves more time in the database than compression takes. In the embedded database, all other statements wait for
 * a long one, and the engine never releases its memory.
 */
export const compressBody = (bytes: Uint8Array): Promise<Uint8Array> => deflated(bytes, COMPRESSION);

/**
 * Compresses the bytes of a job as they arrive. Keeps at most a few chunks in memory.
 *
 * @throws while iterating, the errors of `bytes`
 */
export function compressArriving(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const compressing = createDeflate(COMPRESSION);
  pipeline(Readable.from(bytes, { objectMode: false }), compressing, () => undefined);
  return compressing;
}

/**
 * Decompresses the output of `compressBody` from its pieces.
 *
 * @throws while iterating, when the bytes are damaged or cannot be read
 */
export function decompressBody(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const inflate = createInflate({ chunkSize: COMPRESSION_CHUNK_BYTES });
  pipeline(Readable.from(pieces), inflate, () => undefined);
  return inflate;
}

/** Matches bytes without a job. */
const isUnused = sql`NOT EXISTS (SELECT FROM ${jobs} WHERE ${jobs.body} = ${jobBodies.body})`;

/** Stored bytes of a job that has not been added. */
export interface StoredBody {
  /** Id of the bytes in the database. */
  key: string;
  bytes: number;
}

/**
 * Writes the bytes of a job before the job is added. Each piece is a separate statement, and other statements can run
 * in between. `removeUnused` or later `removeUnusedBodies` removes bytes whose job is never added.
 * @param chunks the bytes, in chunks of any length; the next chunk is read after the preceding pieces have been written
 * @param signal stops the write between two pieces
 */
export async function writeBody(
  queries: Queries,
  now: Date,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<StoredBody> {
  const body = randomUUID();
  let [piece, bytes] = [0, 0];
  try {
    for await (const part of inPieces(chunks)) {
      signal?.throwIfAborted();
      await queries.insert(jobBodies).values({ body, piece, bytes: part, createdAt: now });
      piece++;
      bytes += part.length;
    }
  } catch (error) {
    await removeUnused(queries, { key: body });
    throw error;
  }
  return { key: body, bytes };
}

/** Joins and cuts chunks into pieces of `PIECE_BYTES`. Only the last piece can be shorter. */
async function* inPieces(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    const joined = held.length === 1 ? chunk : Buffer.concat(held, bytes);
    let at = 0;
    for (; at + PIECE_BYTES <= bytes; at += PIECE_BYTES) yield joined.subarray(at, at + PIECE_BYTES);
    held = [joined.subarray(at)];
    bytes -= at;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}

/** Removes bytes whose job was not added. If this fails, retention removes them. */
export async function removeUnused(queries: Queries, { key }: Pick<StoredBody, "key">): Promise<void> {
  await queries
    .delete(jobBodies)
    // A transaction whose commit was not confirmed may have added the job.
    .where(and(eq(jobBodies.body, key), isUnused))
    .catch(() => undefined);
}

/** Matches bytes older than the given time whose job was never added, because a process ended before it added the job. */
export const isUnusedSince = (before: Date): SQL | undefined =>
  and(lt(jobBodies.createdAt, before), isUnused);

/**
 * Removes unused bytes of earlier processes. Call it at the start if no other process can write, which is the case for
 * the embedded database.
 */
export async function removeUnusedBodies(queries: Queries, now: Date): Promise<void> {
  await queries.delete(jobBodies).where(isUnusedSince(now));
}

/**
 * Reads the bytes of a job in pieces.
 * @param job the id of the job
 * @returns the pieces in order, each of at most `PIECE_BYTES`; null when the job has no bytes
 */
export async function bodyOf(
  queries: Queries,
  { id }: { id: number },
): Promise<AsyncGenerator<Uint8Array, void, undefined> | null> {
  const [row] = await queries
    .select({ key: jobs.body, bytes: jobs.bodyBytes })
    .from(jobs)
    .where(eq(jobs.id, id));
  return row === undefined || row.key === null ? null : piecesOf(queries, id, { ...row, key: row.key });
}

async function* piecesOf(
  queries: Queries,
  id: number,
  { key, bytes }: StoredBody,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = 0; piece * PIECE_BYTES < bytes; piece++) {
    const [row] = await queries
      .select({ bytes: jobBodies.bytes })
      .from(jobBodies)
      .where(and(eq(jobBodies.body, key), eq(jobBodies.piece, piece)));
    // Another worker has completed the job, so the transaction of this worker is rolled back.
    if (row === undefined) throw new Error(`The bytes of job ${id} have been removed`);
    yield row.bytes;
  }
}
