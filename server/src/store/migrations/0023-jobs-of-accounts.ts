/** The jobs of an account are found when it is deleted. */
export default `
CREATE INDEX jobs_account ON jobs (account_id) WHERE account_id IS NOT NULL;
`;
