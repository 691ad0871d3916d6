/**
 * Sessions of the page: the application that they belong to, which has no secret that anyone knows, when they end, and the
 * browser, so that a user recognises them.
 */
export default `
INSERT INTO applications (client_id, secret_hash, name, grants, redirect_uris, created_at)
VALUES ('asi-page', sha256(gen_random_uuid()::text::bytea), 'Page', '{}', '{}', now());

ALTER TABLE refresh_tokens
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN browser text;
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at) WHERE expires_at IS NOT NULL;
`;
