import { and, asc, eq, gte } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { streamPieces } from "../../store/schema.js";

/** A piece has at most `PIECE_BYTES` of `http/files/arriving-bytes.ts`, and usually the bytes of a second. */
const PIECES_AT_A_TIME = 32;

export async function addPiece(queries: Queries, piece: typeof streamPieces.$inferInsert): Promise<void> {
  await queries.insert(streamPieces).values(piece);
}

export async function deletePieces(queries: Queries, deviceId: number): Promise<void> {
  await queries.delete(streamPieces).where(eq(streamPieces.deviceId, deviceId));
}

/** Reads the stored bytes of a stream. Other statements run in between. */
export async function* storedPieces(queries: Queries, deviceId: number): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (;;) {
    const pieces = await queries
      .select()
      .from(streamPieces)
      .where(and(eq(streamPieces.deviceId, deviceId), gte(streamPieces.firstByte, from)))
      .orderBy(asc(streamPieces.firstByte))
      .limit(PIECES_AT_A_TIME);
    for (const { firstByte, bytes } of pieces) {
      from = firstByte + bytes.length;
      yield bytes;
    }
    if (pieces.length < PIECES_AT_A_TIME) return;
  }
}
