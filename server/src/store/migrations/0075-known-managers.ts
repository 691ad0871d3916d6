/** The managers whom an athlete has found by number and username, and whose names the athlete sees. */
export default `
CREATE TABLE known_managers (
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  manager_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  PRIMARY KEY (athlete_id, manager_id)
);
CREATE INDEX known_managers_manager ON known_managers (manager_id);
`;
