/**
 * The answer to an idempotency key is stored as it was sent. Keys from before stay taken for their 24 hours, without an
 * answer: their requests are refused rather than done twice.
 */
export default `
ALTER TABLE idempotency_keys
  DROP COLUMN result,
  ADD COLUMN status smallint,
  ADD COLUMN headers jsonb,
  ADD COLUMN body bytea;
`;
