import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { UsageError } from "../../config/usage-error.js";
import { tryLock, unlock } from "../connection/advisory-lock.js";
import type { Database } from "../connection/database.js";
import { migrateServers } from "../sample-servers/migrate-servers.js";
import { migrations as ownMigrations } from "./index.js";
import { checksumOf, type Migration } from "./migration.js";

/** Interval at which a process checks whether another one has finished migrating. */
const LOCK_POLL_MS = 50;

/**
 * Lock timeout of a migration. All later queries wait behind a waiting statement, so the statement times out soon and
 * is retried later.
 */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_TRIES = 10;
const LOCK_PAUSE_MS = 1_000;

/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = "55P03";

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";

/** The database does not match this release. */
export class SchemaError extends UsageError {
  override readonly name = "SchemaError";
}

/** Settings for tests. */
interface MigrateOptions {
  migrations?: readonly Migration[];
  lockTimeoutMs?: number;
  lockTries?: number;
}

/**
 * Migrates the database to the newest schema, one migration after the other. Any number of processes may call it concurrently;
 * each migration is applied once. If a migration fails, previous ones remain applied.
 * @returns names of the migrations applied by this call
 * @throws SchemaError when processes of an earlier release run on the database; when the database
 * has unknown migrations, or different migrations with the same names; when the user
 * may not change the schema; when other transactions keep a table locked
 */
export async function migrate(
  { kind, direct }: Database,
  {
    migrations = ownMigrations,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    lockTries = LOCK_TRIES,
  }: MigrateOptions = {},
): Promise<string[]> {
  const client = await direct.connect();
  let broken = true;
  try {
    // Return early in the usual case without migrations, which needs no lock and no right to change the schema.
    const wanted = await missing(client, migrations);
    const applied =
      wanted.length === 0 ? [] : await applyMissing(client, kind, migrations, lockTimeoutMs, lockTries);
    broken = false;
    return applied;
  } finally {
    // Discard the connection: its settings have changed, and a broken connection may still hold the lock.
    client.release(broken || undefined);
  }
}

/**
 * Checks that the database has no unknown migration, because another release may have migrated it since the start of this
 * process.
 * @throws SchemaError
 */
export async function requireOwnSchema(
  client: pg.ClientBase,
  migrations: readonly Migration[] = ownMigrations,
): Promise<void> {
  await missing(client, migrations);
}

/**
 * Locks out processes of the previous release, which do not support the new schema.
 * @throws SchemaError when one runs
 */
async function lockOutFormer(client: pg.ClientBase): Promise<void> {
  if (await tryLock(client, "servers")) return;
  throw new SchemaError(
    "Processes of an earlier release are running on this database and do not support its new schema. Stop all of them, then start this release.",
  );
}

async function applyMissing(
  client: pg.ClientBase,
  kind: Database["kind"],
  migrations: readonly Migration[],
  lockTimeoutMs: number,
  lockTries: number,
): Promise<string[]> {
  await lockMigrations(client);
  // Another process of this release may have migrated the database and may be running.
  const wanted = await missing(client, migrations);
  // No process of an earlier release serves a database without tables.
  const isUpgrade = kind === "postgres" && wanted.length > 0 && wanted.length < migrations.length;
  if (isUpgrade) await lockOutFormer(client);
  // Limit only the time that a migration waits for locks, not its duration.
  const before = await client.query<{ statement: string; lock: string }>(
    "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock",
  );
  await client.query(`SET statement_timeout = 0; SET lock_timeout = ${lockTimeoutMs}`);
  const applied: string[] = [];
  let under = "the table of the migrations";
  try {
    await retryWhenLocked(lockTries, () => client.query(TABLE));
    for (const migration of wanted) {
      under = `the migration ${migration.name}`;
      await apply(client, migration, lockTries);
      applied.push(migration.name);
    }
    await recordChecksums(client, migrations);
  } catch (error) {
    throw explainFailure(error, under);
  }
  const [settings] = before.rows;
  await client.query(
    "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false)",
    [settings?.statement, settings?.lock],
  );
  if (isUpgrade) await unlock(client, "servers");
  await unlock(client, "migrations");
  return applied;
}

const TABLE = `
CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
ALTER TABLE migrations ADD COLUMN IF NOT EXISTS checksum text;
`;

/**
 * Tries repeatedly, because a waiting statement would hold a snapshot, and the holder of the lock waits for the end of all
 * snapshots when it creates an index concurrently.
 */
async function lockMigrations(client: pg.ClientBase): Promise<void> {
  while (!(await tryLock(client, "migrations"))) await sleep(LOCK_POLL_MS);
}

/** @returns the migrations that have not been applied */
async function missing(client: pg.ClientBase, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ column: string }>(
    `SELECT attname AS "column" FROM pg_attribute WHERE attrelid = to_regclass('migrations') AND attnum > 0`,
  );
  const columns = new Set(rows.map(({ column }) => column));
  if (!columns.has("name")) return [...migrations];
  const known = new Map(migrations.map((migration) => [migration.name, checksumOf(migration)]));
  // Earlier releases recorded no checksums.
  const checksum = columns.has("checksum") ? "checksum" : "NULL::text AS checksum";
  const applied = await client.query<{ name: string; checksum: string | null }>(
    `SELECT name, ${checksum} FROM migrations ORDER BY name`,
  );
  const unknown = applied.rows.find(({ name }) => !known.has(name));
  if (unknown !== undefined) {
    throw new SchemaError(
      `The database belongs to a newer release: it has the migration ${unknown.name}, which this release does not know. Start that release or a later one, or restore a backup of this release into another database.`,
    );
  }
  const changed = applied.rows.find((row) => row.checksum !== null && row.checksum !== known.get(row.name));
  if (changed !== undefined) {
    throw new SchemaError(
      `The database has another migration ${changed.name} than this release: the text that was applied and the text of this release differ. Start the release that created the database, or a published release.`,
    );
  }
  const names = new Set(applied.rows.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

async function apply(client: pg.ClientBase, migration: Migration, lockTries: number): Promise<void> {
  if (migration.onSampleServers !== undefined) {
    await migrateServers(client, migration.name, migration.onSampleServers);
  }
  if ("sql" in migration) {
    await retryWhenLocked(lockTries, () =>
      inTransaction(client, async () => {
        await client.query(migration.sql);
        await record(client, migration);
      }),
    );
    return;
  }
  if ("outsideTransaction" in migration) {
    await retryWhenLocked(lockTries, () => runOutside(client, migration));
  } else {
    let changed: number | null;
    do ({ rowCount: changed } = await retryWhenLocked(lockTries, () => client.query(migration.batch)));
    while (changed !== null && changed > 0);
  }
  await record(client, migration);
}

/** A statement of a migration that creates an index, or drops an invalid one. */
const INDEX = /^(CREATE|DROP) (?:UNIQUE )?INDEX CONCURRENTLY (?:IF EXISTS )?(\w+)/;

/**
 * Runs the statements one by one. After an interruption, keeps the indexes that this migration has completed, because the service
 * of the previous release may use them and they may have taken hours. A comment distinguishes them from others with the same
 * name.
 */
async function runOutside(
  client: pg.ClientBase,
  { name, outsideTransaction }: Extract<Migration, { outsideTransaction: unknown }>,
): Promise<void> {
  const mark = `Made by the migration ${name}`;
  const finished = await client.query<{ index: string }>(
    `SELECT relname AS index FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
     WHERE indisvalid AND pg_table_is_visible(pg_class.oid) AND obj_description(pg_class.oid, 'pg_class') = $1`,
    [mark],
  );
  const kept = new Set(finished.rows.map(({ index }) => index));
  for (const statement of outsideTransaction) {
    const [, what, index = ""] = INDEX.exec(statement) ?? [];
    if (kept.has(index)) continue;
    await client.query(statement);
    if (what === "CREATE") await client.query(`COMMENT ON INDEX ${index} IS '${mark}'`);
  }
}

const record = (client: pg.ClientBase, migration: Migration) =>
  client.query("INSERT INTO migrations (name, checksum) VALUES ($1, $2)", [
    migration.name,
    checksumOf(migration),
  ]);

/** Records the checksums of migrations that a release without checksums applied. */
async function recordChecksums(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    await client.query("UPDATE migrations SET checksum = $2 WHERE name = $1 AND checksum IS NULL", [
      migration.name,
      checksumOf(migration),
    ]);
  }
}

async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await work();
    await client.query("COMMIT");
  } catch (error) {
    // If the connection is lost, the database rolls back the transaction.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

/** Retries the work if a table was locked for too long. Queries that wait behind the work run in between. */
async function retryWhenLocked<T>(tries: number, work: () => Promise<T>): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || left <= 0) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

function explainFailure(error: unknown, under: string): unknown {
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  if (code === INSUFFICIENT_PRIVILEGE) {
    return new SchemaError(
      `The database user may not apply ${under}: ${reason}. Grant it CREATE on the schema, or run asi-server migrate with a user that owns the tables.`,
    );
  }
  if (code === LOCK_NOT_AVAILABLE) {
    return new SchemaError(
      `Other transactions keep a table locked, so ${under} could not be applied: ${reason}. Find these transactions in pg_stat_activity, then start the service again.`,
    );
  }
  return error;
}
