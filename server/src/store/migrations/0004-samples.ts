/** The samples of the devices, and from when retention has removed some. */
export default `

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


-- Closed intervals, disjoint for each device: there were samples, and they are gone for good.
CREATE TABLE removed_samples (
  device_id bigint NOT NULL REFERENCES devices,
  start_ms bigint NOT NULL,
  stop_ms bigint NOT NULL CHECK (stop_ms >= start_ms),
  PRIMARY KEY (device_id, start_ms)
);
`;
