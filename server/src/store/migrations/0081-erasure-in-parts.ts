/** What is erased with an account in parts: each part finds the next rows by an index of those that are left. */
export default [
  "DROP INDEX CONCURRENTLY IF EXISTS audit_log_values_by",
  "CREATE INDEX CONCURRENTLY audit_log_values_by ON audit_log (account_id, id) WHERE before IS NOT NULL OR after IS NOT NULL",
  "DROP INDEX CONCURRENTLY IF EXISTS audit_log_values_of",
  "CREATE INDEX CONCURRENTLY audit_log_values_of ON audit_log (entity, entity_id, at) WHERE before IS NOT NULL OR after IS NOT NULL",
  "DROP INDEX CONCURRENTLY IF EXISTS audit_log_webhooks",
  "CREATE INDEX CONCURRENTLY audit_log_webhooks ON audit_log (account_id, entity_id) WHERE entity = 'webhook'",
];
