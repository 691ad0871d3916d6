import { urlOf } from "./server-address.js";

/** A connection or a transaction; the results of `pg`. */
export interface Connection {
  query<R>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A server that has a part of the samples. */
export interface SampleServer {
  /** Name of the foreign server on the coordinator. */
  name: string;
  /** Host, port and database. */
  label: string;
  /** Which part of the devices it has: the remainder of their hash. */
  remainder: number;
  /** The partition on the coordinator, as SQL. */
  partition: string;
  /** The table on the server. */
  table: string;
  /** Its address with user and password, as far as the database user may see them. */
  url: string;
}

const optionsOf = (list: readonly string[] | null): Record<string, string> =>
  Object.fromEntries(
    (list ?? []).map((option) => {
      const at = option.indexOf("=");
      return [option.slice(0, at), option.slice(at + 1)];
    }),
  );

/**
 * The servers that have the samples, in the order of their parts; empty when the samples are in one table.
 * @param of the partitioned table, as SQL
 */
export async function sampleServers(client: Connection, of = "sample_chunks"): Promise<SampleServer[]> {
  const { rows } = await client.query<{
    name: string;
    partition: string;
    remainder: number;
    table_options: string[] | null;
    server_options: string[] | null;
    user_options: string[] | null;
  }>(
    `
    SELECT s.srvname AS name, c.oid::regclass::text AS partition,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'remainder (\\d+)')::integer AS remainder,
      t.ftoptions AS table_options, s.srvoptions AS server_options, m.umoptions AS user_options
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_foreign_table t ON t.ftrelid = c.oid
    JOIN pg_foreign_server s ON s.oid = t.ftserver
    LEFT JOIN pg_user_mappings m ON m.srvid = s.oid AND m.usename = current_user
    WHERE i.inhparent = to_regclass($1)
    ORDER BY remainder`,
    [of],
  );
  return rows.map((row) => {
    const options = optionsOf(row.server_options);
    return {
      name: row.name,
      label: `${options.host}:${options.port}/${options.dbname}`,
      remainder: row.remainder,
      partition: row.partition,
      table: optionsOf(row.table_options).table_name ?? "",
      url: urlOf(options, optionsOf(row.user_options)),
    };
  });
}
