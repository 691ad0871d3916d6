import pg from "pg";
import { serverName, tableName } from "../placement/move-names.js";
import type { Connection } from "../placement/placement.js";
import type { ServerAddress } from "../placement/server-address.js";

/*
 * Objects that a move of the samples creates: the new table `sample_chunks` with its partitions, the progress of the copy, and
 * the chunks that the service has changed since. During the move, they are in the schema `sample_move`, where no other statement
 * sees them.
 */

const name = (text: string) => pg.escapeIdentifier(text);
const value = (text: string) => pg.escapeLiteral(text);

const optionList = (options: Readonly<Record<string, string>>) =>
  Object.entries(options)
    .map(([option, set]) => `${name(option)} ${value(set)}`)
    .join(", ");

/**
 * Options of a foreign server (PostgreSQL, "postgres_fdw"). A connection to a server that does not respond fails after 2 s, the
 * minimum of libpq; a lost connection is detected after 25 s. On the server, a connection whose coordinator has vanished ends
 * after 90 s, which releases the locks of its transaction.
 */
const SERVER_OPTIONS = {
  connect_timeout: "2",
  keepalives_idle: "10",
  keepalives_interval: "5",
  keepalives_count: "3",
  tcp_user_timeout: "25000",
  application_name: "asi-server",
  options: "-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3",
  fetch_size: "100",
  batch_size: "64",
  use_remote_estimate: "false",
  // ANALYZE reads some blocks, not the whole table.
  analyze_sampling: "system",
};

/** Keys of the tables on the servers. A partitioned table with foreign partitions cannot have keys itself. */
export const KEYS = (table: string) => `
  ALTER TABLE ${table} ADD PRIMARY KEY (device_id, bucket) INCLUDE (start_ms, stop_ms, n);
  CREATE INDEX ON ${table} (stored_at);`;

/** Returns the current definition of the columns of `sample_chunks`, for a table on another server. */
export async function columnsOf(client: Connection): Promise<{ names: string; definition: string }> {
  const { rows } = await client.query<{ name: string; type: string; not_null: boolean }>(`
    SELECT quote_ident(attname) AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS not_null
    FROM pg_attribute WHERE attrelid = 'sample_chunks'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`);
  return {
    names: rows.map((column) => column.name).join(", "),
    definition: rows
      .map((column) => `${column.name} ${column.type}${column.not_null ? " NOT NULL" : ""}`)
      .join(", "),
  };
}

/** Creates the table of a server on the server itself. */
export function remoteTable(table: string, definition: string): string {
  return `CREATE TABLE ${name(table)} (${definition});
    ALTER TABLE ${name(table)} ALTER COLUMN payload SET STORAGE EXTERNAL;
    ${KEYS(name(table))}`;
}

const LIKE = "LIKE public.sample_chunks INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE";

/** Creates the new table in the database of the service: one table, or a partition on each server. */
export function newTable(servers: readonly ServerAddress[], token: string): string[] {
  if (servers.length === 0) {
    return [
      `CREATE TABLE sample_move.sample_chunks (${LIKE})`,
      "ALTER TABLE sample_move.sample_chunks ADD PRIMARY KEY (device_id, bucket) INCLUDE (start_ms, stop_ms, n)",
      "CREATE INDEX sample_chunks_stored_at ON sample_move.sample_chunks (stored_at)",
    ];
  }
  return [
    "CREATE EXTENSION IF NOT EXISTS postgres_fdw",
    `CREATE TABLE sample_move.sample_chunks (${LIKE}) PARTITION BY HASH (device_id)`,
    ...servers.flatMap(({ options, user }, remainder) => {
      const server = name(serverName(token, remainder));
      return [
        `CREATE SERVER ${server} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (${optionList({ ...options, ...SERVER_OPTIONS })})`,
        `CREATE USER MAPPING FOR CURRENT_USER SERVER ${server} OPTIONS (${optionList(user)})`,
        `CREATE FOREIGN TABLE sample_move.sample_chunks_${remainder} PARTITION OF sample_move.sample_chunks
         FOR VALUES WITH (MODULUS ${servers.length}, REMAINDER ${remainder})
         SERVER ${server} OPTIONS (schema_name 'public', table_name ${value(tableName(token))})`,
      ];
    }),
  ];
}

/** Creates tables for the progress of the move and for changes to repeat. Creating the trigger waits for running writers. */
export const BOOKKEEPING = [
  `CREATE TABLE sample_move.state (
     token text NOT NULL, servers text[] NOT NULL, device_id bigint NOT NULL DEFAULT ${-(2n ** 63n)},
     bucket bigint NOT NULL DEFAULT ${-(2n ** 63n)}, copied bigint NOT NULL DEFAULT 0, started_at timestamptz NOT NULL DEFAULT now())`,
  "CREATE TABLE sample_move.changed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, device_id bigint NOT NULL, bucket bigint NOT NULL)",
  `CREATE FUNCTION sample_move.note() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN INSERT INTO sample_move.changed (device_id, bucket) VALUES (OLD.device_id, OLD.bucket); END IF;
     IF TG_OP <> 'DELETE' THEN INSERT INTO sample_move.changed (device_id, bucket) VALUES (NEW.device_id, NEW.bucket); END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER sample_move_note AFTER INSERT OR UPDATE OR DELETE ON public.sample_chunks
   FOR EACH ROW EXECUTE FUNCTION sample_move.note()`,
];

/** Statistics target. It is low, because ANALYZE reads 300 times this number of rows, each with its payload. */
const STATISTICS = 3;

/** Limits the rows that ANALYZE reads from a partition. Without statistics, the planner would not let servers sort. */
export async function restrictStatistics(client: Connection, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const set = rows.map(
    (column) => `ALTER COLUMN ${column.name} SET STATISTICS ${column.name === "payload" ? 0 : STATISTICS}`,
  );
  await client.query(`ALTER FOREIGN TABLE ${table} ${set.join(", ")}`);
}

/** Hides passwords in displayed statements. A password with a backslash is a literal of the form E'...'. */
export const withoutPasswords = (statement: string) =>
  statement.replace(/("password") +E?'(?:[^']|'')*'/g, "$1 '***'");
