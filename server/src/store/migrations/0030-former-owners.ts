/**
 * Samples of times ahead of the clock were kept when their loader released the device, and became the next owner's. Those
 * are removed that certainly are another's: stored before an ownership of whose time they are. A minute is left for the
 * difference between the clocks of the database and of the service.
 */
export default `
WITH removed AS (
  DELETE FROM sample_chunks USING ownerships
  WHERE ownerships.device_id = sample_chunks.device_id
    AND sample_chunks.stored_at < ownerships.start_time - interval '1 minute'
    AND to_timestamp(sample_chunks.start_ms / 1000.0) >= ownerships.start_time
    AND to_timestamp(sample_chunks.stop_ms / 1000.0) < ownerships.end_time
  RETURNING sample_chunks.device_id, sample_chunks.start_ms, sample_chunks.stop_ms
)
UPDATE timeframes SET data_version = data_version + 1
WHERE EXISTS (SELECT 1 FROM removed WHERE removed.device_id = timeframes.device_id
  AND to_timestamp(removed.start_ms / 1000.0) <= timeframes.end_time
  AND to_timestamp(removed.stop_ms / 1000.0) >= timeframes.start_time);
`;
