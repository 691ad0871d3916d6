import { tableName } from "./move-names.js";
import { urlOf } from "./server-address.js";

/** A connection or a transaction with results of `pg`. */
export interface Connection {
  query<R>(text: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A table on a server that contains a part of the samples, or a copy of one. */
export interface Copy {
  /** Name of the foreign server on the coordinator. */
  name: string;
  /** Host, port and database. */
  label: string;
  /** Name of the table on the server. */
  table: string;
  /** Address with user and password, if the database user may read them. */
  url: string;
}

/** A server that stores a part of the samples. */
export interface SampleServer extends Copy {
  /** Remainder of the hash of its devices. */
  remainder: number;
  /** Partition on the coordinator, as SQL. */
  partition: string;
}

const optionsOf = (list: readonly string[] | null): Record<string, string> =>
  Object.fromEntries(
    (list ?? []).map((option) => {
      const at = option.indexOf("=");
      return [option.slice(0, at), option.slice(at + 1)];
    }),
  );

/** Returns the servers with samples, in the order of their parts; empty when the samples are in one table. */
export async function sampleServers(client: Connection): Promise<SampleServer[]> {
  const { rows } = await client.query<PlacementRow>(`
    SELECT s.srvname AS name, c.oid::regclass::text AS partition,
      substring(pg_get_expr(c.relpartbound, c.oid) from 'remainder (\\d+)')::integer AS remainder,
      t.ftoptions AS table_options, s.srvoptions AS server_options, m.umoptions AS user_options
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_foreign_table t ON t.ftrelid = c.oid
    JOIN pg_foreign_server s ON s.oid = t.ftserver
    LEFT JOIN pg_user_mappings m ON m.srvid = s.oid AND m.usename = current_user
    WHERE i.inhparent = to_regclass('sample_chunks')
    ORDER BY remainder`);
  return rows.map((row) => ({
    name: row.name,
    ...addressOf(row),
    remainder: row.remainder,
    partition: row.partition,
    table: optionsOf(row.table_options).table_name ?? "",
  }));
}

/** Returns copies from earlier moves that are unused but not dropped. */
export async function abandonedCopies(client: Connection): Promise<Copy[]> {
  const { rows } = await client.query<{ name: string; token: string } & AddressOptions>(`
    SELECT s.srvname AS name, substring(s.srvname from '^samples_([0-9a-f]{8})_') AS token,
      s.srvoptions AS server_options, m.umoptions AS user_options
    FROM pg_foreign_server s
    LEFT JOIN pg_user_mappings m ON m.srvid = s.oid AND m.usename = current_user
    WHERE s.srvname ~ '^samples_[0-9a-f]{8}_[0-9]+$'
      AND NOT EXISTS (SELECT FROM pg_foreign_table t WHERE t.ftserver = s.oid)
    ORDER BY name`);
  return rows.map((row) => ({ name: row.name, ...addressOf(row), table: tableName(row.token) }));
}

interface PlacementRow extends AddressOptions {
  name: string;
  partition: string;
  remainder: number;
  table_options: string[] | null;
}

interface AddressOptions {
  server_options: string[] | null;
  user_options: string[] | null;
}

function addressOf({ server_options, user_options }: AddressOptions): Pick<Copy, "label" | "url"> {
  const options = optionsOf(server_options);
  return {
    label: `${options.host}:${options.port}/${options.dbname}`,
    url: urlOf(options, optionsOf(user_options)),
  };
}
