/** The last day of the permissions of a managed athlete's manager, 2199-12-31, is included. */
export default `
UPDATE permissions SET expiration_time = '2199-12-31T23:59:59.999Z'
FROM accounts
WHERE accounts.id = permissions.athlete_id
  AND accounts.managed_by = permissions.manager_id
  AND permissions.expiration_time = '2199-12-31T00:00:00Z';
`;
