/** The large responses that are kept for the idempotency keys of an account: their bytes are limited. */
export default [
  "DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_large",
  "CREATE INDEX CONCURRENTLY idempotency_keys_large ON idempotency_keys (account_id) WHERE octet_length(body) > 2048",
];
