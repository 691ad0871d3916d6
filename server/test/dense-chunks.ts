/** Provides the rows of full chunks, because millions of samples would take too long to store. */
import { sqlClientOf } from "../src/store/samples/index.js";
import type { TestService } from "./service.js";

const BUCKET_MS = 300_000;

/** Number of samples of a full chunk. */
export const FULL_CHUNK = 30_000;

/**
 * Adds full chunks of a device, one after another, whose payloads cannot be decoded.
 * @param startMs the first chunk begins at this time or up to five minutes later
 */
export async function addUnreadableChunks(
  { ctx }: TestService,
  deviceId: number,
  startMs: number,
  count: number,
): Promise<void> {
  const first = Math.ceil(startMs / BUCKET_MS);
  await sqlClientOf(ctx.queries).query(
    `INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
     SELECT $1::bigint, i, i * ${BUCKET_MS}, i * ${BUCKET_MS} + 299990, ${FULL_CHUNK}, '\\x00', now()
     FROM generate_series($2::bigint, $3::bigint) AS i`,
    [deviceId, first, first + count - 1],
  );
}
