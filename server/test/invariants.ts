/**
 * Checks the invariants of every database of the service at rest: no orphans, no overlapping ownerships, and no lost or stuck
 * jobs.
 */

interface Queryable {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Queries for the ids of invalid rows, by problem. */
const RULES: Readonly<Record<string, string>> = {
  "two ownerships of a device overlap": `
    SELECT a.id FROM ownerships a JOIN ownerships b ON b.device_id = a.device_id AND b.id > a.id
    WHERE a.start_time < b.end_time AND b.start_time < a.end_time`,
  "an ownership ends before it starts": "SELECT id FROM ownerships WHERE end_time < start_time",
  "a device has been owned and not activated": `
    SELECT id FROM devices WHERE activation_time IS NULL AND id IN (SELECT device_id FROM ownerships)`,
  "an owner of a device is no manager": `
    SELECT o.id FROM ownerships o JOIN accounts a ON a.id = o.manager_id WHERE a.role <> 'MANAGER'`,
  "an account that is managed is no athlete, or its manager no manager": `
    SELECT a.id FROM accounts a JOIN accounts m ON m.id = a.managed_by
    WHERE a.role <> 'ATHLETE' OR m.role <> 'MANAGER'`,
  "a default athlete is managed by no one": `
    SELECT id FROM accounts WHERE is_default_athlete AND managed_by IS NULL`,
  "a managed athlete's manager lacks READ, WRITE or SHARE": `
    SELECT a.id FROM accounts a WHERE a.managed_by IS NOT NULL AND 3 > (
      SELECT count(DISTINCT permission) FROM permissions p WHERE p.athlete_id = a.id AND p.manager_id = a.managed_by)`,
  "a permission is not from an athlete to a manager": `
    SELECT p.id FROM permissions p JOIN accounts a ON a.id = p.athlete_id JOIN accounts m ON m.id = p.manager_id
    WHERE a.role <> 'ATHLETE' OR m.role <> 'MANAGER'`,
  "a time frame and its activity have two owners": `
    SELECT t.id FROM timeframes t JOIN activities a ON a.id = t.activity_id WHERE a.owner_id <> t.owner_id`,
  "a time frame's athlete is none": `
    SELECT t.id FROM timeframes t JOIN accounts a ON a.id = t.athlete_id WHERE a.role <> 'ATHLETE'`,
  "a time frame's owner has never owned its device": `
    SELECT t.id FROM timeframes t WHERE NOT EXISTS (
      SELECT FROM ownerships o WHERE o.device_id = t.device_id AND o.manager_id = t.owner_id)`,
  "a time frame's schema does not belong to its activity's": `
    SELECT t.id FROM timeframes t JOIN activities a ON a.id = t.activity_id
      JOIN json_schemas s ON s.id = t.json_schema_id
    WHERE s.parent_id IS DISTINCT FROM a.json_schema_id`,
  "a time frame's data are stale, and no job computes them": `
    SELECT t.id FROM timeframes t LEFT JOIN computed_data c ON c.timeframe_id = t.id
    WHERE (c.timeframe_id IS NULL OR c.timeframe_version <> t.version OR c.data_version <> t.data_version)
      AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'compute' AND j.unique_key = t.id::text
        AND j.state IN ('PENDING', 'RETRY', 'STARTED'))`,
  "a delivery waits, and no job carries it": `
    SELECT d.id FROM webhook_deliveries d LEFT JOIN jobs j ON j.id = d.job_id
    WHERE d.state IN ('pending', 'retrying') AND (j.id IS NULL OR j.state NOT IN ('PENDING', 'RETRY', 'STARTED'))`,
  "a job that has a worker has no lease": `
    SELECT id FROM jobs WHERE state = 'STARTED' AND (lease_until IS NULL OR lease_token IS NULL)`,
  "a job is stuck with a worker": "SELECT id FROM jobs WHERE state = 'STARTED'",
  "a job that is due waits": `
    SELECT id FROM jobs WHERE state IN ('PENDING', 'RETRY') AND due_at < now() - interval '1 minute'`,
  "a job has ended without an end": `
    SELECT id FROM jobs WHERE state IN ('SUCCESS', 'FAILURE', 'REVOKED') AND finished_at IS NULL`,
  "a job that has ended keeps its bytes": `
    SELECT id FROM jobs WHERE state IN ('SUCCESS', 'FAILURE', 'REVOKED') AND body IS NOT NULL`,
  "the bytes of a job are missing": `
    SELECT id FROM jobs WHERE body IS NOT NULL
      AND body_bytes <> (SELECT coalesce(sum(octet_length(bytes)), 0) FROM job_bodies WHERE job_bodies.body = jobs.body)`,
  "an idempotency key has no answer": `
    SELECT account_id AS id FROM idempotency_keys WHERE status IS NULL`,
};

/** Checks every foreign key in the catalogue, because a restore may have bypassed it. */
const FOREIGN_KEYS = `
  SELECT c.conname AS name, c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
    (SELECT string_agg(format('child.%I = parent.%I', a.attname, b.attname), ' AND ')
     FROM unnest(c.conkey, c.confkey) AS k (own, other)
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own
       JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.other) AS matching,
    (SELECT string_agg(format('child.%I IS NOT NULL', a.attname), ' AND ')
     FROM unnest(c.conkey) AS k (own)
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own) AS given
  FROM pg_constraint c WHERE c.contype = 'f' ORDER BY 1`;

/**
 * Searches a database whose due jobs are done for violated invariants.
 * @returns a message for each problem, with the first ids
 */
export async function databaseProblems(database: Queryable): Promise<string[]> {
  const problems: string[] = [];
  for (const [meaning, query] of Object.entries(RULES)) {
    const { rows } = await database.query(query);
    if (rows.length > 0) problems.push(`${meaning}: ${told(rows)}`);
  }
  const { rows: keys } = await database.query(FOREIGN_KEYS);
  if (keys.length < 10) problems.push(`only ${keys.length} foreign keys were found`);
  for (const { name, child, parent, matching, given } of keys) {
    const { rows } = await database.query(`
      SELECT child.ctid::text AS id FROM ${child} child
      WHERE ${given} AND NOT EXISTS (SELECT FROM ${parent} parent WHERE ${matching})`);
    if (rows.length > 0) problems.push(`${name} names rows that are not there: ${told(rows)}`);
  }
  return problems;
}

const told = (rows: readonly Record<string, unknown>[]) =>
  `${rows.length} rows, ${rows
    .slice(0, 5)
    .map(({ id }) => id)
    .join(", ")}`;
