import { and, asc, exists, isNull, lte, type SQL, sql } from "drizzle-orm";
import { recordingStreams, streamPieces } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { deletePieces } from "./delete.js";

/** Whether a stream has stored nothing since a time, and its effects are not pending. */
export const hasExpired = (before: Date): SQL | undefined =>
  and(lte(recordingStreams.updatedAt, before), isNull(recordingStreams.changed));

/** Deletes the pieces of expired streams, which the database would otherwise delete with the row of the stream in one statement. */
export async function deleteExpiredPieces(
  ctx: Context,
  before: Date,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { queries } = ctx;
  const ofStream = queries
    .select({ one: sql`1` })
    .from(streamPieces)
    .where(sql`${streamPieces.deviceId} = ${recordingStreams.deviceId}`);
  while (!signal?.aborted) {
    const [next] = await queries
      .select({ deviceId: recordingStreams.deviceId })
      .from(recordingStreams)
      .where(and(hasExpired(before), exists(ofStream)))
      .orderBy(asc(recordingStreams.updatedAt))
      .limit(1);
    if (next === undefined) return;
    await deletePieces(
      queries,
      next.deviceId,
      ({ updatedAt, changed }) => updatedAt <= before && changed === null,
    );
  }
}
