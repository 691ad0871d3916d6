/** A number by which the operator names a session: its refresh token. */
export default `
ALTER TABLE refresh_tokens ADD COLUMN id bigserial;
CREATE UNIQUE INDEX refresh_tokens_id ON refresh_tokens (id);
CREATE INDEX refresh_tokens_application ON refresh_tokens (application_id);
CREATE INDEX access_tokens_application ON access_tokens (application_id);
CREATE INDEX authorization_codes_application ON authorization_codes (application_id);
`;
