/**
 * Changes that make the computed data of many time frames stale. Until a job has marked them, in batches of ascending ids, a time
 * frame behind `done_through` that the change concerns is stale too.
 */
export default `
CREATE TABLE recomputations (
  id bigserial PRIMARY KEY,
  athlete_id bigint REFERENCES accounts ON DELETE CASCADE,
  activity_id bigint REFERENCES activities ON DELETE CASCADE,
  device_id bigint REFERENCES devices,
  -- With a device: only the time frames of this manager, and of these times.
  owner_id bigint REFERENCES accounts ON DELETE CASCADE,
  times tstzmultirange,
  -- Whether the stored results go, because they contain deleted samples.
  forgets boolean NOT NULL,
  done_through bigint NOT NULL
);
`;
