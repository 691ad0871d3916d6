/**
 * The accounts that have been erased, by a hash that contains no value of the person. The same entries are in the list
 * outside of the database, from which they are applied again after an old backup has been restored.
 */
export default `
CREATE TABLE erasures (
  id bigserial PRIMARY KEY,
  person text NOT NULL,
  at timestamptz(3) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('deleted', 'erased', 'erased with samples'))
);
CREATE UNIQUE INDEX erasures_person ON erasures (person);
`;
