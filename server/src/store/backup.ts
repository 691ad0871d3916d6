import { DrizzleQueryError, sql } from "drizzle-orm";
import { BackupError, readBackup, writeBackup } from "./backup-file.js";
import type { Database, Queries } from "./database.js";
import { withSnapshot } from "./snapshot.js";

/** Tables that a backup does not contain: `migrate` creates their rows, or they are short-lived: counters, and open connections. */
const SKIPPED = new Set(["migrations", "throttle_counters", "live_connections"]);

/** Maximum number of rows whose sizes are read together, and of bytes that a statement reads or writes. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 2 * 1024 * 1024;

/** The tables in the order of their creation, so that referenced rows come first; without partitions, which are parts of others. */
async function tableNames(queries: Queries): Promise<string[]> {
  const { rows } = await queries.execute<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace ORDER BY oid`,
  );
  return rows.map(({ name }) => name).filter((name) => !SKIPPED.has(name));
}

/** Whether the rows of a table are on other servers, where `ctid` does not tell them apart. */
async function isPartitioned(queries: Queries, table: string): Promise<boolean> {
  const { rows } = await queries.execute<{ kind: string }>(
    sql`SELECT relkind AS kind FROM pg_class WHERE oid = ${table}::regclass`,
  );
  return rows[0]?.kind === "p";
}

/** Rows of a partitioned table that are read together. A chunk of samples has 120 KB at most. */
const PARTITIONED_ROWS = 20;

/** The rows of `sample_chunks` that are on other servers. */
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
 * Writes all rows of one state of the database into a file while the service runs. Then reads the file to check it.
 * @param dataDir the folder into which the embedded database is copied during the backup
 * @returns number of rows
 * @throws BackupError when the file exists or cannot be written
 */
export async function backup(database: Database, file: string, dataDir: string): Promise<number> {
  await withSnapshot(database, dataDir, (tx) => writeBackup(file, contentOf(tx)));
  return verifyBackup(file);
}

async function* contentOf(tx: Queries): AsyncGenerator<string, void, undefined> {
  // Before the first query, which fixes the state: a move of the samples that ended after it would leave a table that is not
  // part of this state.
  await tx.execute(sql`LOCK TABLE sample_chunks IN ACCESS SHARE MODE`);
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

/** The rows of a table as lines, in pieces of bounded size. A larger row is a piece of its own. */
async function* rowsOf(tx: Queries, table: string): AsyncGenerator<string, void, undefined> {
  const name = sql.identifier(table);
  const { rows: columns } = await tx.execute<{ name: string; type: string }>(
    sql`SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute
      WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  );
  const sizes = columns.map(({ name: column, type }) => {
    // The lengths of these two are known without reading them.
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
          JOIN ${name} AS t ON t.ctid = wanted.at ORDER BY place`,
      );
      yield read.rows.map(({ line }) => `${line}\n`).join("");
    }
  }
  await tx.execute(sql`CLOSE backup_rows`);
}

/**
 * Reads a backup to its end, without a database.
 * @returns number of rows
 * @throws BackupError when it cannot be restored
 */
export async function verifyBackup(file: string): Promise<number> {
  let count = 0;
  for await (const line of readBackup(file)) {
    if (line.kind !== "row") continue;
    count++;
    if (!isObject(line.row)) {
      throw new BackupError(`The backup is damaged: row ${count} cannot be read. Use another copy of it.`);
    }
  }
  return count;
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Classes of SQLSTATE for invalid values: data exceptions, violated constraints, exceeded limits. */
const OF_VALUES = /^(22|23|54)/;

/** Runs a statement with values of the backup. @throws BackupError with the message, when the database refuses a value */
function explainingBadValues<T>(query: Promise<T>, words: string): Promise<T> {
  return query.catch((error: unknown) => {
    const code =
      error instanceof DrizzleQueryError ? (error.cause as { code?: string } | undefined)?.code : "";
    throw OF_VALUES.test(code ?? "") ? new BackupError(`${words} Nothing was restored.`) : error;
  });
}

/**
 * Replaces the content of the database with that of a backup, in one transaction.
 * @returns number of rows
 * @throws BackupError when the file is not a backup, is of a newer version, is damaged, is truncated, or has values that
 *   the database refuses
 */
export async function restore(queries: Queries, file: string): Promise<number> {
  // The checksum is at the end of the file. Without this check, a damaged row would reach the database first and cause an
  // unclear error.
  await verifyBackup(file);
  let count = 0;
  await queries.transaction(async (tx) => {
    // These timeouts are for requests.
    await tx.execute(sql`SET LOCAL statement_timeout = 0`);
    await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = 0`);
    await requireNoMove(tx);
    const tables = await tableNames(tx);
    const lastValues = new Map<string, number | null>();
    let isEmptied = false;
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
      if (!isEmptied) await empty(tx, tables);
      isEmptied = true;
      if (line.kind === "row") {
        if (length + line.row.length > BATCH_BYTES || batch.length >= BATCH_ROWS) await flush();
        batch.push(line.row);
        length += line.row.length;
        continue;
      }
      await flush();
      if (line.kind === "sequence") lastValues.set(line.sequence, line.lastValue);
      else if (tables.includes(line.table)) table = line.table;
      else throw new BackupError(`The backup has a table ${line.table} that this version does not have.`);
    }
    await flush();
    await continueSequences(tx, lastValues);
  });
  return count;
}

/** A move of the samples would not notice that they are replaced. */
async function requireNoMove(tx: Queries): Promise<void> {
  const { rows } = await tx.execute<{ exists: boolean }>(
    sql`SELECT to_regclass('sample_move.state') IS NOT NULL AS exists`,
  );
  if (rows[0]?.exists === true) {
    throw new BackupError(
      "A move of the samples between servers has begun. Finish it, or give it up with asi-server samples cancel-move.",
    );
  }
}

const empty = (tx: Queries, tables: readonly string[]) =>
  tx.execute(
    sql`TRUNCATE ${sql.join(
      tables.map((name) => sql.identifier(name)),
      sql`, `,
    )} CASCADE`,
  );

/**
 * Sets the sequences to the last number that they returned, even when its row was deleted: the ids of deleted rows must not
 * be reused.
 */
async function continueSequences(
  queries: Queries,
  lastValues: ReadonlyMap<string, number | null>,
): Promise<void> {
  const { rows } = await queries.execute<{ sequence: string; table: string; column: string }>(sql`
    SELECT s.oid::regclass::text AS sequence, t.relname AS "table", a.attname AS "column"
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'a'
    JOIN pg_class t ON t.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND t.relnamespace = 'public'::regnamespace`);
  for (const { sequence, table, column } of rows) {
    await explainingBadValues(
      queries.execute(
        sql`SELECT setval(${sequence}::regclass, greatest(${lastValues.get(sequence) ?? 0}::bigint,
          (SELECT max(${sql.identifier(column)}) FROM ${sql.identifier(table)})) + 1, false)`,
      ),
      `The ids in the table ${table} of the backup leave none for new rows.`,
    );
  }
}
