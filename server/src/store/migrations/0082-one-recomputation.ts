/**
 * One row for each input whose changes are not marked yet, however often it changes: reading computed data looks through all rows.
 * `version` tells the job that marks whether the input has changed again.
 */
export default `
ALTER TABLE recomputations ADD COLUMN version integer NOT NULL DEFAULT 1;
UPDATE recomputations SET done_through = merged.done_through, times = merged.times FROM (
  SELECT min(id) AS id, min(done_through) AS done_through, range_agg(times) AS times FROM recomputations
  GROUP BY athlete_id, activity_id, device_id, owner_id, forgets
) AS merged WHERE recomputations.id = merged.id;
DELETE FROM recomputations WHERE id NOT IN (
  SELECT min(id) FROM recomputations GROUP BY athlete_id, activity_id, device_id, owner_id, forgets
);
CREATE UNIQUE INDEX recomputations_input ON recomputations
  (coalesce(athlete_id, 0), coalesce(activity_id, 0), coalesce(device_id, 0), coalesce(owner_id, 0), forgets);
CREATE INDEX recomputations_athlete ON recomputations (athlete_id) WHERE athlete_id IS NOT NULL;
CREATE INDEX recomputations_activity ON recomputations (activity_id) WHERE activity_id IS NOT NULL;
CREATE INDEX recomputations_device ON recomputations (device_id) WHERE device_id IS NOT NULL;
CREATE INDEX recomputations_owner ON recomputations (owner_id) WHERE owner_id IS NOT NULL;
`;
