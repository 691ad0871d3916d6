import { createReadStream, createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { sql } from "drizzle-orm";
import { UsageError } from "../usage-error.js";
import type { Queries } from "./database.js";
import { migrations } from "./migrations/index.js";

/** First line of a backup. */
const FORMAT = "asi-server backup 1";

/** Rows that are no part of the content: made by `migrate`, or counters of the moment. */
const SKIPPED = new Set(["migrations", "throttle_counters"]);

const BATCH_ROWS = 500;

/** The tables in the order of their making, so that a row's references come before it. */
async function tableNames(queries: Queries): Promise<string[]> {
  const { rows } = await queries.execute<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid`,
  );
  return rows.map(({ name }) => name).filter((name) => !SKIPPED.has(name));
}

/**
 * Writes every row into a file, from one snapshot, while the service goes on: gzipped lines of JSON, the same for both
 * databases. The file appears whole or not at all.
 * @returns number of rows
 */
export async function backup(queries: Queries, file: string): Promise<number> {
  let count = 0;
  await queries.transaction(
    async (tx) => {
      async function* lines() {
        yield `${JSON.stringify({ format: FORMAT, migrations: migrations.map(({ name }) => name) })}\n`;
        for (const table of await tableNames(tx)) {
          yield `${JSON.stringify({ table })}\n`;
          await tx.execute(
            sql`DECLARE backup_rows NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM (SELECT * FROM ${sql.identifier(table)} ORDER BY 1) AS t`,
          );
          for (;;) {
            const { rows } = await tx.execute<{ line: string }>(
              sql.raw(`FETCH ${BATCH_ROWS} FROM backup_rows`),
            );
            if (rows.length === 0) break;
            count += rows.length;
            yield rows.map(({ line }) => `${line}\n`).join("");
          }
          await tx.execute(sql`CLOSE backup_rows`);
        }
      }
      await pipeline(
        Readable.from(lines()),
        createGzip({ level: 4 }),
        createWriteStream(`${file}.part`, { mode: 0o600 }),
      );
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  await rename(`${file}.part`, file);
  return count;
}

/** The file cannot be restored. */
export class BackupError extends UsageError {
  override readonly name = "BackupError";
}

/**
 * Replaces everything in the database by a backup's rows, in one transaction.
 * @returns number of rows
 * @throws BackupError when the file is no backup, or one of a newer version
 */
export async function restore(queries: Queries, file: string): Promise<number> {
  const source = createReadStream(file);
  const gunzip = source.pipe(createGunzip());
  source.on("error", (error) => gunzip.destroy(error));
  const lines = createInterface({ input: gunzip, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  const first = await lines.next().catch(() => ({ value: "" }));
  requireBackup(first.value);
  let count = 0;
  await queries.transaction(async (tx) => {
    const tables = await tableNames(tx);
    await tx.execute(
      sql`TRUNCATE ${sql.join(
        tables.map((name) => sql.identifier(name)),
        sql`, `,
      )} CASCADE`,
    );
    let table = "";
    let batch: string[] = [];
    const flush = async () => {
      if (batch.length === 0) return;
      const rows = `[${batch.join(",")}]`;
      count += batch.length;
      batch = [];
      await tx.execute(
        sql`INSERT INTO ${sql.identifier(table)} SELECT * FROM json_populate_recordset(NULL::${sql.identifier(table)}, ${rows}::json)`,
      );
    };
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const next = tableOf(line.value);
      if (next === undefined) batch.push(line.value);
      if (next !== undefined || batch.length >= BATCH_ROWS) await flush();
      if (next !== undefined) {
        if (!tables.includes(next))
          throw new BackupError(`The backup has a table ${next} that this version has not.`);
        table = next;
      }
    }
    await flush();
    await continueSequences(tx);
  });
  return count;
}

function requireBackup(line: string): void {
  let head: { format?: unknown; migrations?: unknown } = {};
  try {
    head = JSON.parse(line);
  } catch {
    // Told below.
  }
  if (head.format !== FORMAT) throw new BackupError("The file is not a backup of this service.");
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = (head.migrations as string[]).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new BackupError(`The backup is of a newer version: it has the migration ${unknown}.`);
}

/** A line that begins a table; a row never has just one column called `table`. */
const tableOf = (line: string): string | undefined => /^\{"table":"(\w+)"\}$/.exec(line)?.[1];

async function continueSequences(queries: Queries): Promise<void> {
  const { rows } = await queries.execute<{ sequence: string; table: string; column: string }>(sql`
    SELECT s.oid::regclass::text AS sequence, t.relname AS "table", a.attname AS "column"
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'a'
    JOIN pg_class t ON t.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND t.relnamespace = 'public'::regnamespace`);
  for (const { sequence, table, column } of rows) {
    await queries.execute(
      sql`SELECT setval(${sequence}::regclass, coalesce((SELECT max(${sql.identifier(column)}) FROM ${sql.identifier(table)}), 0) + 1, false)`,
    );
  }
}
