/**
 * The table of the sample chunks, for a migration. One row is one device's samples of one 5-minute bucket.
 *
 * - `bucket`: floor(timestamp ms / 300,000)
 * - `start_ms`, `stop_ms`, `n`: first and last time (ms since 1970 UTC) and number of the samples in `payload`
 * - `payload`: the samples (`encodeChunk`); EXTERNAL, because they are compressed already
 * - `stored_at`: time of the last addition, from which retention counts
 *
 * The key begins with the device, so that a distributed PostgreSQL can place rows by it, and carries the three figures
 * that counts, pages and ranges are made from.
 */
export const SAMPLE_CHUNKS_DDL = `
CREATE TABLE sample_chunks (
  device_id bigint NOT NULL,
  bucket bigint NOT NULL,
  start_ms bigint NOT NULL,
  stop_ms bigint NOT NULL,
  n integer NOT NULL CHECK (n > 0),
  payload bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (device_id, bucket) INCLUDE (start_ms, stop_ms, n)
);
ALTER TABLE sample_chunks ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE INDEX sample_chunks_stored_at ON sample_chunks (stored_at);
`;
