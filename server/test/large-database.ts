/**
 * Fills the tables with SQL as in a service that has run for years, which gives the planner of the database realistic statistics.
 */
import type pg from "pg";

/** Number of rows of the largest tables: a thousand devices, a million jobs. */
const MANAGERS = 400;
const ATHLETES = 20_000;
const DEVICES = 1_000;
const JOBS = 1_000_000;

const athlete = (n: string) => `(${MANAGERS} + 1 + (${n}) % ${ATHLETES})`;
const manager = (n: string) => `(1 + (${n}) % ${MANAGERS})`;
const device = (n: string) => `(1 + (${n}) % ${DEVICES})`;
const daysAgo = (days: string) => `now() - (${days}) * interval '1 day'`;

/** One statement per table, in the order of the references between them. */
const ROWS: readonly string[] = [
  `INSERT INTO accounts (role, username, username_key, email, external_id, first_name, last_name, gender, birth_date, managed_by, is_default_athlete, created_at)
   SELECT CASE WHEN n <= ${MANAGERS} THEN 'MANAGER' ELSE 'ATHLETE' END, 'person-' || n, 'person-' || n, 'person-' || n || '@example.org',
     'external-' || n, 'First ' || n % 900, 'Last ' || n % 3000, CASE WHEN n % 3 = 0 THEN 'F' ELSE 'M' END, date '1990-01-01' + (n % 7000)::int,
     CASE WHEN n > ${MANAGERS} AND n % 2 = 0 THEN ${manager("n / 2")} END, false, ${daysAgo("n % 700")}
   FROM generate_series(1, ${MANAGERS + ATHLETES}) AS n`,
  `INSERT INTO applications (client_id, secret_hash, name, grants, redirect_uris, created_at)
   SELECT 'client-' || n, sha256(n::text::bytea), 'Client ' || n, '{password}', '{}', now() FROM generate_series(1, 40) AS n`,
  `INSERT INTO refresh_tokens (token_hash, account_id, application_id, created_at, last_used_at, code_hash, expires_at)
   SELECT sha256(('r' || n)::bytea), 1 + n % ${MANAGERS + ATHLETES}, 1 + n % 40, ${daysAgo("n % 300")}, ${daysAgo("n % 200")},
     CASE WHEN n % 9 = 0 THEN sha256(('c' || n)::bytea) END, CASE WHEN n % 4 = 0 THEN ${daysAgo("n % 3 - 2")} END
   FROM generate_series(1, 30000) AS n`,
  `INSERT INTO access_tokens (token_hash, account_id, application_id, expires_at, refresh_hash)
   SELECT sha256(('a' || n)::bytea), 1 + n % ${MANAGERS + ATHLETES}, 1 + n % 40, ${daysAgo("(n % 10) / 10.0 - 0.4")}, sha256(('r' || n)::bytea)
   FROM generate_series(1, 60000) AS n`,
  `INSERT INTO authorization_codes (code_hash, account_id, application_id, redirect_uri, expires_at)
   SELECT sha256(('c' || n)::bytea), 1 + n % ${MANAGERS + ATHLETES}, 1 + n % 40, 'https://app.example.org/', now() FROM generate_series(1, 5000) AS n`,
  `INSERT INTO devices (device_name, serial_number, device_type, firmware_version, activation_time, created_at)
   SELECT 'rover-' || n, 'SN' || n, 'T' || n % 3, '1.0.' || n % 5, ${daysAgo("n % 700")}, ${daysAgo("700")} FROM generate_series(1, ${DEVICES}) AS n`,
  // Each device has had five owners; the last one is the current owner.
  `INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
   SELECT ${device("n")}, ${manager("n * 7 + n / 1000")}, ${daysAgo("700 - 140 * (n / 1000)")},
     CASE WHEN n / 1000 = 4 THEN timestamptz '2999-12-31T23:59:59Z' ELSE ${daysAgo("700 - 140 * (n / 1000 + 1)")} END
   FROM generate_series(0, ${5 * DEVICES - 1}) AS n`,
  `INSERT INTO bluetooth_configurations (device_id, target, current) SELECT n, '{}', '{}' FROM generate_series(1, ${DEVICES}) AS n`,
  `INSERT INTO bluetooth_commands (device_id, configuration_version, target, immediate, created_at)
   SELECT ${device("n")}, n / ${DEVICES}, '{}', false, now() FROM generate_series(0, 4999) AS n`,
  `INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
   SELECT ${athlete("n / 3")}, ${manager("n / 6")}, (ARRAY['READ', 'WRITE', 'SHARE'])[1 + n % 3], timestamptz '1970-01-01', timestamptz '2199-12-31T23:59:59.999Z'
   FROM generate_series(0, 59999) AS n`,
  `INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
   SELECT 'Match ' || n, '{"sport": "soccer"}', 3, ${manager("n")}, ${daysAgo("n % 700")} FROM generate_series(1, 20000) AS n`,
  `INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
   SELECT at, at + interval '2 hours', '{}', ${device("n")}, 1 + n % 20000, ${athlete("n")}, ${manager("1 + n % 20000")}, 9, at
   FROM generate_series(1, 100000) AS n, LATERAL (SELECT ${daysAgo("n % 700")} AS at) AS moment`,
  // Each manager has fifty squads, with members who change, devices that are passed on, and a session every other day.
  `INSERT INTO squads (name, owner_id, created_at) SELECT 'Squad ' || n, ${manager("n")}, ${daysAgo("700")} FROM generate_series(1, 20000) AS n`,
  `INSERT INTO squad_members (squad_id, athlete_id, number, params, start_time, end_time)
   SELECT 1 + n % 20000, ${athlete("n / 2")}, n % 99, '{}', at, at + interval '100 days'
   FROM generate_series(1, 100000) AS n, LATERAL (SELECT ${daysAgo("n % 700")} AS at) AS moment`,
  `INSERT INTO squad_grants (squad_id, guest_id, username, role, created_at, accepted_at)
   SELECT 1 + n % 20000, CASE WHEN n % 7 > 0 THEN ${manager("n / 5")} END, 'person-' || n, 'coach', at, CASE WHEN n % 7 > 2 THEN at END
   FROM generate_series(1, 20000) AS n, LATERAL (SELECT ${daysAgo("n % 700")} AS at) AS moment`,
  `INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
   SELECT ${manager("n")}, ${device("n / 3")}, ${athlete("n")}, at, at + interval '3 hours'
   FROM generate_series(1, 100000) AS n, LATERAL (SELECT ${daysAgo("n % 700")} AS at) AS moment`,
  `INSERT INTO sessions (activity_id, squad_id, kind, start_time, end_time)
   SELECT n, 1 + n % 20000, (ARRAY['match', 'training', 'other'])[1 + n % 3], at, at + interval '2 hours'
   FROM generate_series(1, 20000) AS n, LATERAL (SELECT ${daysAgo("n % 700")} AS at) AS moment`,
  `INSERT INTO session_periods (session_id, position, name, athlete_id, start_time, end_time)
   SELECT 1 + n % 20000, n / 20000, 'Part ' || n / 20000, CASE WHEN n % 5 = 0 THEN ${athlete("n")} END, now(), now() + interval '10 minutes'
   FROM generate_series(0, 79999) AS n`,
  `INSERT INTO session_timeframes (timeframe_id, session_id, period)
   SELECT n, 1 + n % 20000, CASE WHEN n % 3 = 0 THEN '' ELSE 'Part ' || n % 3 END FROM generate_series(1, 100000) AS n`,
  `INSERT INTO session_figures (session_id, athlete_id, period, inputs, figures, period_ms, seconds, details, computed_at, rules_version)
   SELECT 1 + n % 20000, ${athlete("n")}, CASE WHEN n % 3 = 0 THEN '' ELSE 'Part ' || n % 3 END, '1:' || n || '.1.1', repeat('x', 40), 7200000, '[]', '{}', now(), 1
   FROM generate_series(1, 100000) AS n ON CONFLICT DO NOTHING`,
  `INSERT INTO computed_data (timeframe_id, timeframe_version, data_version, rules_version, data, further, computed_at)
   SELECT n, 1, 1, 1, repeat('x', 40), '{}', now() FROM generate_series(1, 80000) AS n`,
  `INSERT INTO removed_samples (device_id, start_ms, stop_ms)
   SELECT ${device("n")}, 1700000000000 + 1000000::bigint * n, 1700000000000 + 1000000::bigint * n + 500000 FROM generate_series(1, 20000) AS n`,
  // Chunks of 3,000 samples; their payloads are stored outside the row, which contains a reference of this length.
  `INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
   SELECT ${device("n")}, bucket, bucket * 300000, bucket * 300000 + 299900, 3000, '\\x000102030405060708090a0b0c0d0e0f1011', ${daysAgo("n % 700")}
   FROM generate_series(1, 300000) AS n, LATERAL (SELECT 5600000 + n / ${DEVICES} * 7::bigint AS bucket) AS chunk`,
  `INSERT INTO webhooks (activity_id, webhook_url, secret_token, activity_events, timeframes_events, created_at)
   SELECT 1 + n % 20000, 'https://club' || n % 50 || '.example.org/hook', 'sealed', true, true, now() FROM generate_series(1, 40000) AS n`,
  `INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, attempts, job_id, created_at)
   SELECT 'msg-' || n, 1 + n % 10000, 'https://club.example.org/hook', 'sealed', 'timeframe-updated', jsonb_build_object('activity_id', n % 20000),
     CASE WHEN n % 2000 = 0 THEN 'pending' WHEN n % 3000 = 0 THEN 'retrying' WHEN n % 50 = 0 THEN 'failed' ELSE 'delivered' END, 1, n, ${daysAgo("n % 90")}
   FROM generate_series(1, 200000) AS n`,
  // All jobs except some hundred are finished.
  `INSERT INTO jobs (job_id, kind, account_id, charged_to, state, payload, details, unique_key, receiver, due_at, created_at, finished_at, lease_until, lease_token)
   SELECT 'job-' || n, CASE WHEN n % 100 < 50 THEN 'compute' WHEN n % 100 < 60 THEN 'session-figures' WHEN n % 100 < 65 THEN 'derive' WHEN n % 100 < 95 THEN 'webhook' WHEN n % 100 < 99 THEN 'bulk-load' ELSE 'mail' END,
     CASE WHEN n % 100 BETWEEN 95 AND 98 THEN ${manager("n")} END, ${manager("n")}, state,
     CASE WHEN n % 100 BETWEEN 95 AND 98 THEN jsonb_build_object('device', ${device("n")}, 'sha256', n::text, 'from', n * 1000000::bigint, 'to', n * 1000000::bigint + 5000000)
       WHEN n % 100 < 60 AND state IN ('PENDING', 'STARTED') THEN jsonb_build_object('timeframe', n % 100000, 'session', n % 20000)
       WHEN n % 100 < 65 AND state IN ('PENDING', 'STARTED') THEN jsonb_build_object('subject', 'athlete ' || ${athlete("n")}, 'fromMs', 0, 'toMs', n, 'after', 0, 'until', 0) ELSE '{}' END,
     CASE WHEN n % 100 BETWEEN 50 AND 59 AND state = 'FAILURE' THEN jsonb_build_object('session', n % 20000) ELSE '{}' END,
     CASE WHEN n % 100 < 60 THEN 'timeframe-' || n END, CASE WHEN n % 100 BETWEEN 65 AND 94 THEN 'club' || n % 50 || '.example.org:443' END, at, at,
     CASE WHEN state = 'SUCCESS' OR state = 'FAILURE' THEN at END, CASE WHEN state = 'STARTED' THEN now() END,
     CASE WHEN state = 'STARTED' THEN 'lease-' || n END
   FROM generate_series(1, ${JOBS}) AS n, LATERAL (SELECT ${daysAgo("90.0 * n / 1000000")} AS at,
     CASE WHEN n % 5003 = 0 THEN 'PENDING' WHEN n % 20011 = 0 THEN 'RETRY' WHEN n % 50021 = 0 THEN 'STARTED' WHEN n % 200 = 0 THEN 'FAILURE' ELSE 'SUCCESS' END AS state) AS moment`,
  `INSERT INTO audit_log (at, account_id, operation, entity, entity_id, after, request_id)
   SELECT ${daysAgo("730.0 * n / 200000")}, ${manager("n")}, 'updateTimeframe', 'timeframe', n % 100000,
     CASE WHEN n % 10 = 0 THEN jsonb_build_object('athleteId', ${athlete("n")}) END, 'request-' || n
   FROM generate_series(1, 200000) AS n`,
  `INSERT INTO idempotency_keys (account_id, path, key, fingerprint, created_at)
   SELECT ${manager("n")}, '/api/v1/timeframes/', 'key-' || n, sha256(n::text::bytea), ${daysAgo("n / 20000.0")} FROM generate_series(1, 30000) AS n`,
  `INSERT INTO changes (account_id, kind, object_id, day, from_ms, to_ms, xid, changed_at)
    SELECT ${manager("n")}, 'samples', 1 + n % ${DEVICES}, n, n, n + 1, (n::text)::xid8, ${daysAgo("n % 90")} FROM generate_series(1, 200000) AS n`,
  `INSERT INTO throttle_counters (key, points, expire)
   SELECT 'user:user-' || n, 5, 1000 * extract(epoch FROM now())::bigint + n % 120000 - 60000 FROM generate_series(1, 30000) AS n`,
];

/**
 * Fills the empty, migrated tables of a database. Does not check references, and builds the indexes of the largest tables at the
 * end.
 */
export async function fillLargeDatabase(client: pg.ClientBase): Promise<void> {
  await client.query(
    "SET session_replication_role = replica; SET maintenance_work_mem = '256MB'; SET work_mem = '64MB'",
  );
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid::regclass::text IN ('jobs', 'audit_log', 'sample_chunks', 'webhook_deliveries', 'timeframes')
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  for (const text of ROWS) await client.query(text);
  for (const { definition } of rows) await client.query(definition);
  await client.query("VACUUM ANALYZE");
  await client.query("SET session_replication_role = origin");
}
