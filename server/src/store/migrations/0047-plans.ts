/**
 * Indexes that lists, deletions and retention need where tables are large: the time frames and the activities of an owner in
 * the order of their ids, the jobs charged to an account, and what expires by the time from which it counts.
 */
export default [
  "DROP INDEX CONCURRENTLY IF EXISTS timeframes_owner_order",
  "CREATE INDEX CONCURRENTLY timeframes_owner_order ON timeframes (owner_id, id)",
  "DROP INDEX CONCURRENTLY IF EXISTS timeframes_owner",
  "DROP INDEX CONCURRENTLY IF EXISTS activities_owner_order",
  "CREATE INDEX CONCURRENTLY activities_owner_order ON activities (owner_id, id)",
  "DROP INDEX CONCURRENTLY IF EXISTS activities_owner",
  "DROP INDEX CONCURRENTLY IF EXISTS jobs_charged",
  "CREATE INDEX CONCURRENTLY jobs_charged ON jobs (charged_to, kind)",
  "DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_ended",
  "CREATE INDEX CONCURRENTLY webhook_deliveries_ended ON webhook_deliveries (created_at) WHERE state IN ('delivered', 'failed')",
  "DROP INDEX CONCURRENTLY IF EXISTS authorization_codes_expiry",
  "CREATE INDEX CONCURRENTLY authorization_codes_expiry ON authorization_codes (expires_at)",
  "DROP INDEX CONCURRENTLY IF EXISTS throttle_counters_expiry",
  "CREATE INDEX CONCURRENTLY throttle_counters_expiry ON throttle_counters (expire)",
];
