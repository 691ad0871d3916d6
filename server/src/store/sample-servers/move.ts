import { randomBytes } from "node:crypto";
import pg from "pg";
import { UsageError } from "../../config/usage-error.js";
import { whileNoneMoves } from "../connection/advisory-lock.js";
import { isRefusedConnection, noteConnectionError } from "../connection/database-errors.js";
import { MAJOR_FOR_SAMPLE_SERVERS, OLDEST_MAJOR, requireMajor } from "../connection/server-version.js";
import { tlsConnection } from "../connection/tls.js";
import { tableName } from "../placement/move-names.js";
import { abandonedCopies, type Connection, type Copy, sampleServers } from "../placement/placement.js";
import type { ServerAddress } from "../placement/server-address.js";
import { requireOffCitus } from "./citus.js";
import { CHANGES_AT_ONCE, copyNext, noteMissed, repeatChanges, repeatSome, stateOf } from "./copying.js";
import {
  BOOKKEEPING,
  columnsOf,
  newTable,
  remoteTable,
  restrictStatistics,
  withoutPasswords,
} from "./move-schema.js";
import { whenUnlocked } from "./transaction.js";

/** Number of remaining changes at which writers must wait until the last ones are copied. */
const FEW_CHANGES = 500;

/** Progress of a move. */
export interface MoveProgress {
  copied: number;
  /** Number of chunks, as the database estimates it. */
  chunks: number;
}

export interface Plan {
  /** Servers of the samples; empty for one table in the database of the service. */
  from: string[];
  to: string[];
  /** Number of chunks, as the database estimates it. */
  chunks: number;
  bytes: number | null;
  statements: string[];
}

/**
 * Moves the samples to servers, or back to one table, while the service runs: copies the chunks to a new table while a trigger
 * records changed chunks, copies these again, and then exchanges the tables. Until then, including
 * after an interruption, the service uses the old table. Call it again with the same servers to
 * continue.
 *
 * @param client a connection to the database with a dedicated session and no statement timeout
 * @param servers new servers of the samples; none for one table in the database of the service
 * @throws UsageError when the move cannot begin or continue
 */
export async function moveSamples(
  client: Connection,
  servers: readonly ServerAddress[],
  progress: (progress: MoveProgress) => void = () => undefined,
): Promise<{ copied: number; tablesLeft: string[]; unanalyzed: string | null }> {
  return whileNoneMoves(client, async () => {
    await requirePossible(client, servers);
    const labels = servers.map(({ label }) => label);
    const former = await sampleServers(client);
    const begun = await stateOf(client);
    if (begun === undefined) {
      if (String(former.map(({ label }) => label)) === String(labels))
        return { copied: 0, tablesLeft: await dropAbandoned(client), unanalyzed: null };
      await begin(client, servers);
    } else if (String(begun.servers) !== String(labels)) {
      throw new UsageError(
        `A move of the samples to ${begun.servers.join(", ") || "one table"} has begun. Finish it with the same servers, or cancel it with asi-server samples cancel-move.`,
      );
    }
    const chunks = await estimateOf(client);
    const columns = (await columnsOf(client)).names;
    const report = async () => progress({ copied: Number((await stateOf(client))?.copied), chunks });
    while (await copyNext(client, columns)) await report();
    if (former.length > 0) await noteMissed(client);
    while ((await repeatChanges(client, columns)) >= FEW_CHANGES) await report();
    const copied = Number((await stateOf(client))?.copied);
    await exchange(client, columns);
    const tablesLeft = await dropAbandoned(client);
    const unanalyzed = await client.query("ANALYZE sample_chunks").then(
      () => null,
      (error: Error) => error.message,
    );
    return { copied, tablesLeft, unanalyzed };
  });
}

/**
 * @throws UsageError when Citus has the samples, when several roles write samples, when the database is too old for samples on other servers, or when one of the
 *   servers is unreachable or too old
 */
async function requirePossible(client: Connection, servers: readonly ServerAddress[]): Promise<void> {
  if (servers.length > 0) await requireMajor(client, MAJOR_FOR_SAMPLE_SERVERS, "samples distribute");
  await requireOffCitus(client);
  await requireSingleRole(client);
  for (const { url, label } of servers)
    await onServer(url, (remote) => requireMajor(remote, OLDEST_MAJOR, `The sample server ${label}`));
}

/** @throws UsageError when another role writes samples: the new table and the servers would refuse its statements */
async function requireSingleRole(client: Connection): Promise<void> {
  const { rows } = await client.query<{ role: string; owner: string }>(`
    SELECT role.rolname AS role, relowner::regrole::text AS owner FROM pg_class, pg_roles AS role
    WHERE pg_class.oid = 'sample_chunks'::regclass AND NOT role.rolsuper AND role.rolcanlogin AND (
      (role.oid <> relowner AND has_table_privilege(role.oid, pg_class.oid, 'INSERT'))
      OR (role.rolname = current_user AND role.oid <> relowner))
    ORDER BY role.rolname LIMIT 1`);
  const [other] = rows;
  if (other === undefined) return;
  throw new UsageError(
    `The role ${other.role} can write samples, but the role ${other.owner} owns their table. Samples can only be moved if one role owns the tables and runs the service: run the service as ${other.owner}, and revoke the rights of ${other.role} on sample_chunks.`,
  );
}

/** Describes the effect of `moveSamples` without changing anything. */
export async function planMove(client: Connection, servers: readonly ServerAddress[]): Promise<Plan> {
  await requirePossible(client, servers);
  const { definition } = await columnsOf(client);
  const token = "TOKEN";
  const { rows } = await client.query<{ bytes: string | null }>(
    "SELECT sum(pg_total_relation_size(relid)) AS bytes FROM pg_stat_user_tables WHERE relid = 'sample_chunks'::regclass",
  );
  return {
    from: (await sampleServers(client)).map(({ label }) => label),
    to: servers.map(({ label }) => label),
    chunks: await estimateOf(client),
    bytes: rows[0]?.bytes == null ? null : Number(rows[0].bytes),
    statements: [
      ...servers.map(({ label }) => `on ${label}: ${remoteTable(tableName(token), definition)}`),
      "CREATE SCHEMA sample_move",
      ...newTable(servers, token),
      ...BOOKKEEPING,
    ].map((statement) => withoutPasswords(statement.replace(/\s+/g, " "))),
  };
}

/**
 * Cancels a move, if one has begun. Removes the copies of samples, including copies from earlier commands. The original samples
 * are not affected.
 */
export async function cancelMove(client: Connection): Promise<{ cancelled: boolean; tablesLeft: string[] }> {
  const cancelled = (await stateOf(client)) !== undefined;
  if (cancelled) {
    await whenUnlocked(client, async () => {
      await client.query("DROP TRIGGER IF EXISTS sample_move_note ON public.sample_chunks");
      await client.query("DROP SCHEMA sample_move CASCADE");
    });
  }
  return { cancelled, tablesLeft: await dropAbandoned(client) };
}

/** Returns the servers and the number of copied chunks of the current move; undefined if there is none. */
export async function moveUnderWay(
  client: Connection,
): Promise<{ servers: string[]; copied: number } | undefined> {
  const state = await stateOf(client);
  return state === undefined ? undefined : { servers: state.servers, copied: Number(state.copied) };
}

async function estimateOf(client: Connection): Promise<number> {
  const { rows } = await client.query<{ chunks: number }>(
    "SELECT greatest(coalesce(sum(reltuples), 0), 0)::float8 AS chunks FROM pg_class WHERE oid = 'sample_chunks'::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'sample_chunks'::regclass)",
  );
  return rows[0]?.chunks ?? 0;
}

async function begin(client: Connection, servers: readonly ServerAddress[]): Promise<void> {
  const token = randomBytes(4).toString("hex");
  const table = tableName(token);
  const made: string[] = [];
  try {
    const { definition } = await columnsOf(client);
    for (const { url } of servers) {
      await onServer(url, (remote) => remote.query(remoteTable(table, definition))).catch(explainTwice);
      made.push(url);
    }
    await requireElsewhere(client, table);
    await whenUnlocked(client, async () => {
      await client.query("CREATE SCHEMA sample_move");
      for (const statement of [...newTable(servers, token), ...BOOKKEEPING]) await client.query(statement);
      await client.query("INSERT INTO sample_move.state (token, servers) VALUES ($1, $2)", [
        token,
        servers.map(({ label }) => label),
      ]);
    }).catch(explainRights);
  } catch (error) {
    // The tables are empty. The original error is more important than a failed drop.
    for (const url of made) await dropRemote({ url, table }).catch(() => undefined);
    throw error;
  }
}

/** SQLSTATE duplicate_table. The table name is unique to this move, so this move has created the table. */
const DUPLICATE_TABLE = "42P07";

function explainTwice(error: unknown): never {
  if (!(error instanceof Error && "code" in error && error.code === DUPLICATE_TABLE)) throw error;
  throw new UsageError("The file of servers contains a database twice, with different host names.");
}

/**
 * Rejects this database as a sample server, because it and its backups would contain tables of both the service and a sample
 * server.
 */
async function requireElsewhere(client: Connection, table: string): Promise<void> {
  const { rows } = await client.query<{ here: boolean }>(
    "SELECT to_regclass(format('public.%I', $1::text)) IS NOT NULL AS here",
    [table],
  );
  if (rows[0]?.here !== true) return;
  throw new UsageError(
    "The file of servers contains the database of the service. Create another database on the same server.",
  );
}

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";

function explainRights(error: unknown): never {
  if (!(error instanceof Error && "code" in error && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
  throw new UsageError(
    `The database user may not prepare the move: ${error.message}. As a superuser, in the database of the service: CREATE EXTENSION IF NOT EXISTS postgres_fdw; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO <user>; GRANT CREATE ON DATABASE <database> TO <user>.`,
  );
}

/** Replaces the old table with the new one. Statements of the service wait meanwhile. */
async function exchange(client: Connection, columns: string): Promise<void> {
  const { rows: partitions } = await client.query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'sample_move.sample_chunks'::regclass",
  );
  await whenUnlocked(client, async () => {
    await client.query("LOCK TABLE public.sample_chunks IN ACCESS EXCLUSIVE MODE");
    while ((await repeatSome(client, columns)) === CHANGES_AT_ONCE);
    await client.query("DROP TABLE public.sample_chunks");
    await client.query("ALTER TABLE sample_move.sample_chunks SET SCHEMA public");
    for (const { name } of partitions) {
      await restrictStatistics(client, name);
      await client.query(`ALTER FOREIGN TABLE ${name} SET SCHEMA public`);
    }
    await client.query("DROP SCHEMA sample_move CASCADE");
  });
}

/**
 * Drops the unused copies of samples. The database keeps their addresses until they are dropped, so no copy becomes
 * unknown if a command is killed or a server is unreachable.
 * @returns copies that could not be dropped; the next command tries again
 */
async function dropAbandoned(client: Connection): Promise<string[]> {
  const left: string[] = [];
  for (const copy of await abandonedCopies(client)) {
    try {
      await dropRemote(copy);
      await client.query(`DROP SERVER IF EXISTS ${pg.escapeIdentifier(copy.name)} CASCADE`);
    } catch (error) {
      left.push(`${nameOfCopy(copy)}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return left;
}

/** Returns the name of an abandoned copy for messages to the operator. */
export const nameOfCopy = ({ name, label, table }: Copy): string =>
  `${table} on ${label} (foreign server ${name})`;

const dropRemote = ({ url, table }: Pick<Copy, "table" | "url">) =>
  onServer(url, (remote) => remote.query(`DROP TABLE IF EXISTS ${pg.escapeIdentifier(table)}`));

/** Runs work on a connection to a server. @throws UsageError when the server is unreachable or refuses the connection */
export async function onServer<T>(url: string, work: (remote: pg.Client) => Promise<T>): Promise<T> {
  const remote = new pg.Client({ ...tlsConnection(url), connectionTimeoutMillis: 10_000 });
  remote.on("error", () => undefined);
  try {
    await remote.connect();
  } catch (error) {
    const { host } = new URL(url);
    noteConnectionError(error);
    throw new UsageError(
      `The server ${host} ${isRefusedConnection(error) ? "refuses the connection" : "cannot be reached"}: ${error instanceof Error ? error.message : error}`,
    );
  }
  try {
    return await work(remote);
  } finally {
    await remote.end().catch(() => undefined);
  }
}
