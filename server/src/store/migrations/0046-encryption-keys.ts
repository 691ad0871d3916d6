/**
 * The keys that encrypt secrets since the first rotation, each encrypted with every server key that may open it. Without
 * a row, secrets are encrypted with the server key itself.
 */
export default `
CREATE TABLE encryption_keys (
  key_id bigint NOT NULL,
  server_key_id text NOT NULL,
  encrypted_key text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (key_id, server_key_id)
);
`;
