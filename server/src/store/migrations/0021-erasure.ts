/** By whom and about whom audit rows are, so that their values can be erased with the person. */
export default `
CREATE INDEX audit_log_account ON audit_log (account_id);
CREATE INDEX audit_log_people ON audit_log USING gin ((ARRAY[
  before->>'athleteId', after->>'athleteId', before->>'managerId', after->>'managerId',
  before->>'ownerId', after->>'ownerId', before->>'managedBy', after->>'managedBy'
]));
`;
