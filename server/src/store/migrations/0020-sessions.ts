/**
 * What a token comes from: an access token from its refresh token, that from its code. When a refresh token was last
 * used, so that the longest unused can go. A code that was used stays until it expires, so that a second use is known.
 */
export default `
ALTER TABLE authorization_codes ADD COLUMN used_at timestamptz(3);
CREATE INDEX authorization_codes_account ON authorization_codes (account_id);

ALTER TABLE refresh_tokens ADD COLUMN code_hash bytea;
ALTER TABLE refresh_tokens ADD COLUMN last_used_at timestamptz(3);
UPDATE refresh_tokens SET last_used_at = created_at;
ALTER TABLE refresh_tokens ALTER COLUMN last_used_at SET NOT NULL;
CREATE INDEX refresh_tokens_code ON refresh_tokens (code_hash) WHERE code_hash IS NOT NULL;
DROP INDEX refresh_tokens_account;
CREATE INDEX refresh_tokens_use ON refresh_tokens (account_id, application_id, last_used_at);

ALTER TABLE access_tokens ADD COLUMN refresh_hash bytea;
CREATE INDEX access_tokens_refresh ON access_tokens (refresh_hash) WHERE refresh_hash IS NOT NULL;
`;
