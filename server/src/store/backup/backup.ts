import { sql } from "drizzle-orm";
import type { Database, Queries } from "../connection/database.js";
import { migrations as ownMigrations } from "../migrations/index.js";
import type { Migration } from "../migrations/migration.js";
import { BackupError, type BackupHead, headLine, readBackup, writeBackup } from "./backup-file.js";
import { withSnapshot } from "./snapshot.js";

/** Changes and epochs, whose transaction numbers are meaningless in another history. */
export const HISTORY_TABLES = ["changes", "change_epochs"];

/**
 * Tables omitted from a backup: `migrate` creates their rows, the rows are short-lived (counters, open connections), or they belong
 * to the history of one database.
 */
const SKIPPED = new Set([
  "migrations",
  "throttle_counters",
  "live_connections",
  "live_tickets",
  "openid_sign_ins",
  "device_codes",
  ...HISTORY_TABLES,
]);

/** Maximum number of row sizes that one statement reads, and maximum number of bytes that it reads or writes. */
export const BATCH_ROWS = 500;
export const BATCH_BYTES = 2 * 1024 * 1024;

/**
 * Returns the tables of a backup in the order of their creation, in which referenced rows come first. Omits partitions,
 * because their parents contain the rows.
 */
export async function tableNames(queries: Queries, schema = "public"): Promise<string[]> {
  const { rows } = await queries.execute<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = ${schema}::regnamespace ORDER BY oid`,
  );
  return rows.map(({ name }) => name).filter((name) => !SKIPPED.has(name));
}

type Outside = Omit<BackupHead, "migrations">;

/** Whether the rows of a table are on other servers, where `ctid` is not unique. */
async function isPartitioned(queries: Queries, table: string): Promise<boolean> {
  const { rows } = await queries.execute<{ kind: string }>(
    sql`SELECT relkind AS kind FROM pg_class WHERE oid = ${table}::regclass`,
  );
  return rows[0]?.kind === "p";
}

/** Number of rows of a partitioned table in one read. A chunk of samples has at most 120 KB. */
const PARTITIONED_ROWS = 20;

/** Reads the rows of `sample_chunks` that are on other servers. */
async function* rowsOfPartitioned(tx: Queries, table: string): AsyncGenerator<string, void, undefined> {
  const name = sql.identifier(table);
  await tx.execute(
    sql`DECLARE backup_rows NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${name} AS t`,
  );
  for (;;) {
    const { rows } = await tx.execute<{ line: string }>(
      sql.raw(`FETCH ${PARTITIONED_ROWS} FROM backup_rows`),
    );
    if (rows.length === 0) break;
    yield rows.map(({ line }) => `${line}\n`).join("");
  }
  await tx.execute(sql`CLOSE backup_rows`);
}

/**
 * Writes all rows of one snapshot of the database to a file, then reads the file to check it. The service can run at the same
 * time.
 * @param dataDir folder for a copy of the embedded database during the backup
 * @param outside data outside the database that belongs to the backup: see `BackupHead`
 * @returns number of rows
 * @throws BackupError when the file exists or cannot be written
 */
export async function backup(
  database: Database,
  file: string,
  dataDir: string,
  outside: Outside = { serverKeys: [], erasureLists: [] },
): Promise<number> {
  await withSnapshot(database, dataDir, (tx) => writeBackup(file, contentOf(tx, outside)));
  return (await verifyBackup(file)).rows;
}

async function* contentOf(tx: Queries, outside: Outside): AsyncGenerator<string, void, undefined> {
  // Lock before the first query, which takes the snapshot. If a move of the samples ended later, its new table would be
  // missing from the snapshot.
  await tx.execute(sql`LOCK TABLE sample_chunks IN ACCESS SHARE MODE`);
  // postgres_fdw takes the snapshot of a server when it first reads there (PostgreSQL, "postgres_fdw"). Later
  // samples may be of a later owner than the one in this snapshot, who could read them after a restore.
  const { rows: partitions } = await tx.execute<{ name: string }>(
    sql`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'sample_chunks'::regclass`,
  );
  for (const { name } of partitions) await tx.execute(sql`SELECT FROM ${sql.raw(name)} LIMIT 1`);
  const { rows: applied } = await tx.execute<{ name: string }>(
    sql`SELECT name FROM migrations ORDER BY name`,
  );
  yield headLine({ migrations: applied.map(({ name }) => name), ...outside });
  for (const table of await tableNames(tx)) {
    yield `${JSON.stringify({ table })}\n`;
    yield* (await isPartitioned(tx, table)) ? rowsOfPartitioned(tx, table) : rowsOf(tx, table);
  }
  const { rows } = await tx.execute<{ sequence: string; last_value: string | null }>(
    sql`SELECT sequencename AS sequence, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
  );
  for (const { sequence, last_value } of rows) {
    yield `${JSON.stringify({ sequence, last_value: last_value === null ? null : Number(last_value) })}\n`;
  }
}

/** Yields the rows of a table as lines, in pieces of limited size. A larger row is a separate piece. */
async function* rowsOf(tx: Queries, table: string): AsyncGenerator<string, void, undefined> {
  const name = sql.identifier(table);
  const { rows: columns } = await tx.execute<{ name: string; type: string }>(
    sql`SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute
      WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  );
  const sizes = columns.map(({ name: column, type }) => {
    // The lengths of these two columns are available without reading them.
    if (type === "bytea" || type === "text")
      return sql`coalesce(2 * octet_length(${sql.identifier(column)}), 0)`;
    return type === "jsonb" ? sql`coalesce(octet_length(${sql.identifier(column)}::text), 0)` : sql`20`;
  });
  await tx.execute(
    sql`DECLARE backup_rows NO SCROLL CURSOR FOR SELECT ctid::text AS at, ${sql.join(sizes, sql` + `)} AS size
      FROM ${name} ORDER BY ${sql.identifier(columns[0]?.name ?? "")}`,
  );
  for (;;) {
    const { rows } = await tx.execute<{ at: string; size: number }>(
      sql.raw(`FETCH ${BATCH_ROWS} FROM backup_rows`),
    );
    if (rows.length === 0) break;
    for (let from = 0, to = 0; from < rows.length; from = to) {
      for (let bytes = 0; to < rows.length; to++) {
        bytes += Number(rows[to]?.size ?? 0);
        if (to > from && bytes > BATCH_BYTES) break;
      }
      const at = rows.slice(from, to).map((row) => row.at);
      const read = await tx.execute<{ line: string }>(
        sql`SELECT row_to_json(t)::text AS line
          FROM unnest(${sql.param(at)}::text[]::tid[]) WITH ORDINALITY AS wanted (at, place)
          JOIN ${name} AS t ON t.ctid = wanted.at ORDER BY wanted.place`,
      );
      yield read.rows.map(({ line }) => `${line}\n`).join("");
    }
  }
  await tx.execute(sql`CLOSE backup_rows`);
}

/**
 * Reads a backup to its end, without a database.
 * @param known the migrations of this release
 * @throws BackupError when it cannot be restored
 */
export async function verifyBackup(
  file: string,
  known: readonly Migration[] = ownMigrations,
): Promise<BackupHead & { rows: number }> {
  let head: BackupHead = { migrations: [], serverKeys: [], erasureLists: [] };
  let rows = 0;
  for await (const line of readBackup(file)) {
    if (line.kind === "head") {
      const { kind: _, ...rest } = line;
      head = rest;
    }
    if (line.kind !== "row") continue;
    rows++;
    if (!isObject(line.row)) {
      throw new BackupError(`The backup is damaged: row ${rows} cannot be read. Use another copy of it.`);
    }
  }
  // Check the names only after the checksum at the end of the file, because damage may have changed the first line.
  const unknown = head.migrations.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new BackupError(`The backup is of a newer version: it has the migration ${unknown}.`);
  }
  return { ...head, rows };
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
