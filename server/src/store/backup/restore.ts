import { DrizzleQueryError, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../connection/database.js";
import { migrations as ownMigrations } from "../migrations/index.js";
import type { Migration } from "../migrations/migration.js";
import { BATCH_BYTES, BATCH_ROWS, HISTORY_TABLES, tableNames, verifyBackup } from "./backup.js";
import { BackupError, readBackup } from "./backup-file.js";

/** Schema for migrating a backup of an earlier release. It exists only within the transaction of a restore. */
const EARLIER = "earlier_release";

/** Classes of SQLSTATE for invalid values: data exceptions, violated constraints, exceeded limits. */
const OF_VALUES = /^(22|23|54)/;
const INSUFFICIENT_PRIVILEGE = "42501";

const codeOf = (error: unknown): string =>
  (error instanceof DrizzleQueryError && (error.cause as { code?: string } | undefined)?.code) || "";

/** Runs a statement with values of the backup. @throws BackupError with the message of the database when it rejects a value */
function explainingBadValues<T>(query: Promise<T>, words: string): Promise<T> {
  return query.catch((error: unknown) => {
    throw OF_VALUES.test(codeOf(error)) ? new BackupError(`${words} Nothing was restored.`) : error;
  });
}

/**
 * Replaces the content of a database, which has the newest schema, with a backup in one
 * transaction. A backup of an earlier release is read into tables of that release, which are then migrated, so that
 * defaults and data migrations apply to its rows.
 * @param known the migrations of this release
 * @returns number of rows
 * @throws BackupError when the file is not a backup, is of a newer version, is damaged, is truncated, or has values that the
 *   database rejects
 */
export async function restore(
  queries: Queries,
  file: string,
  known: readonly Migration[] = ownMigrations,
): Promise<number> {
  // The checksum is at the end of the file. Without this check, a damaged row would reach the database and cause an
  // unclear error.
  const { migrations, rows } = await verifyBackup(file, known);
  const had = new Set(migrations);
  const missing = known.filter(({ name }) => !had.has(name));
  await queries.transaction(async (tx) => {
    // Disable the timeouts, which are meant for requests.
    await tx.execute(sql`SET LOCAL statement_timeout = 0`);
    await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = 0`);
    await requireNoMove(tx);
    // Invalidate the cursors of clients that have read the previous content.
    await empty(tx, "public", HISTORY_TABLES);
    if (missing.length === 0) {
      await load(tx, file, "public");
      return;
    }
    await inEarlierSchema(tx, async () => {
      const earlier = known.filter(({ name }) => had.has(name));
      await migrateWithin(tx, earlier);
      await load(tx, file, EARLIER);
      for (const migration of missing) {
        await explainingBadValues(
          migrateWithin(tx, [migration]),
          `The migration ${migration.name} refuses the rows of the backup.`,
        );
      }
    });
    await moveFromEarlier(tx);
  });
  return rows;
}

/** Runs work with table names in an empty schema. @throws BackupError when the database user may not create the schema */
async function inEarlierSchema(tx: Queries, work: () => Promise<void>): Promise<void> {
  const before = await tx.execute<{ path: string }>(sql`SELECT current_setting('search_path') AS path`);
  await tx.execute(sql`CREATE SCHEMA ${sql.identifier(EARLIER)}`).catch((error: unknown) => {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new BackupError(
      "The backup is of an earlier release, and the database user cannot create the schema for its migration. Restore the backup as the owner of the database. Nothing was restored.",
    );
  });
  await tx.execute(sql`SELECT set_config('search_path', ${EARLIER}, true)`);
  await work();
  await tx.execute(sql`SELECT set_config('search_path', ${before.rows[0]?.path ?? "public"}, true)`);
}

/** Applies migrations in the transaction. No other session sees the tables, so indexes need not be created concurrently. */
async function migrateWithin(tx: Queries, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    if ("sql" in migration) await tx.execute(sql.raw(migration.sql));
    else if ("outsideTransaction" in migration) {
      for (const statement of migration.outsideTransaction)
        await tx.execute(sql.raw(statement.replace(/\bINDEX CONCURRENTLY\b/, "INDEX")));
    } else while (((await tx.execute(sql.raw(migration.batch))).rowCount ?? 0) > 0);
  }
}

/** Replaces the rows of a schema with the rows of the backup. */
async function load(tx: Queries, file: string, schema: string): Promise<void> {
  const tables = await tableNames(tx, schema);
  await empty(tx, schema, tables);
  const lastValues = new Map<string, number | null>();
  let count = 0;
  let table = "";
  let batch: string[] = [];
  let length = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const rows = `[${batch.join(",")}]`;
    const first = count + 1;
    count += batch.length;
    batch = [];
    length = 0;
    await explainingBadValues(
      tx.execute(
        sql`INSERT INTO ${sql.identifier(table)} SELECT * FROM json_populate_recordset(NULL::${sql.identifier(table)}, ${rows}::json)`,
      ),
      `The database refuses one of the rows ${first} to ${count} of the backup for the table ${table}.`,
    );
  };
  for await (const line of readBackup(file)) {
    if (line.kind === "row") {
      if (length + line.row.length > BATCH_BYTES || batch.length >= BATCH_ROWS) await flush();
      batch.push(line.row);
      length += line.row.length;
      continue;
    }
    await flush();
    if (line.kind === "sequence") lastValues.set(line.sequence, line.lastValue);
    else if (line.kind === "table") {
      if (!tables.includes(line.table))
        throw new BackupError(`The backup has a table ${line.table} that its release does not have.`);
      table = line.table;
    }
  }
  await flush();
  await continueSequences(tx, schema, lastValues);
}

/** Replaces the rows of the database with the rows of the schema for migrating the backup. */
async function moveFromEarlier(tx: Queries): Promise<void> {
  const tables = await tableNames(tx);
  await empty(tx, "public", tables);
  for (const table of tables) {
    const { rows } = await tx.execute<{ name: string }>(
      sql`SELECT attname AS name FROM pg_attribute
        WHERE attrelid = ${`public.${table}`}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    );
    const columns = listOf(rows.map(({ name }) => sql.identifier(name)));
    await tx.execute(
      sql`INSERT INTO ${within("public", table)} (${columns}) SELECT ${columns} FROM ${within(EARLIER, table)}`,
    );
  }
  const { rows: sequences } = await tx.execute<{ sequence: string; last_value: string | null }>(
    sql`SELECT sequencename AS sequence, last_value FROM pg_sequences WHERE schemaname = ${EARLIER}`,
  );
  await continueSequences(
    tx,
    "public",
    new Map(
      sequences.map(({ sequence, last_value }) => [
        sequence,
        last_value === null ? null : Number(last_value),
      ]),
    ),
  );
  await tx.execute(sql`DROP SCHEMA ${sql.identifier(EARLIER)} CASCADE`);
}

/** Refuses the restore during a move of the samples, because the move would not notice the replacement. */
async function requireNoMove(tx: Queries): Promise<void> {
  const { rows } = await tx.execute<{ exists: boolean }>(
    sql`SELECT to_regclass('sample_move.state') IS NOT NULL AS exists`,
  );
  if (rows[0]?.exists === true) {
    throw new BackupError(
      "A move of the samples between servers has begun. Finish it, or cancel it with asi-server samples cancel-move.",
    );
  }
}

const listOf = (parts: readonly SQL[] | readonly ReturnType<typeof sql.identifier>[]): SQL =>
  sql.join([...parts], sql`, `);

const within = (schema: string, name: string): SQL => sql`${sql.identifier(schema)}.${sql.identifier(name)}`;

const empty = async (tx: Queries, schema: string, tables: readonly string[]): Promise<void> => {
  if (tables.length === 0) return;
  await tx.execute(sql`TRUNCATE ${listOf(tables.map((name) => within(schema, name)))} CASCADE`);
};

/**
 * Sets the sequences to the last number that they returned, even if its row was deleted, because ids of deleted rows must not be
 * reused.
 */
async function continueSequences(
  queries: Queries,
  schema: string,
  lastValues: ReadonlyMap<string, number | null>,
): Promise<void> {
  const { rows } = await queries.execute<{ sequence: string; table: string; column: string }>(sql`
    SELECT s.relname AS sequence, t.relname AS "table", a.attname AS "column"
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'a'
    JOIN pg_class t ON t.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND t.relnamespace = ${schema}::regnamespace`);
  for (const { sequence, table, column } of rows) {
    await explainingBadValues(
      queries.execute(
        // Adding one to the maximum of the type fails.
        sql`SELECT setval(${`${schema}.${sequence}`}::regclass, greatest(last, 1), last + 1 > 1)
          FROM (SELECT greatest(${lastValues.get(sequence) ?? 0}::bigint, max(${sql.identifier(column)})) AS last
            FROM ${within(schema, table)}) AS given`,
      ),
      `The ids in the table ${table} of the backup leave no ids for new rows.`,
    );
  }
}
