import { UsageError } from "../../config/usage-error.js";
import { whileNoneMoves } from "../connection/advisory-lock.js";
import { type Connection, sampleServers } from "../placement/placement.js";
import { stateOf } from "./copying.js";

/*
 * Samples on the workers of a Citus cluster. Citus places rows by the hash of the distribution column, sends each statement on
 * one device to one worker, and commits over several workers in two phases (Citus manual, "Table and Shard DDL").
 *
 * Only `sample_chunks` is distributed. `removed_samples` remains a local table: it refers to `devices` by a foreign
 * key, queries join it with the local table `timeframes`, and it contains a row for each interval that retention has
 * removed.
 */

const CREATE = "SELECT create_distributed_table('sample_chunks', 'device_id', colocate_with => 'none')";
/** Citus keeps the local rows hidden until they are dropped explicitly. */
const DROP_LOCAL_ROWS = "SELECT truncate_local_data_after_distributing_table('sample_chunks')";

export const DISTRIBUTE = [CREATE, DROP_LOCAL_ROWS];

export const GATHER = ["SELECT undistribute_table('sample_chunks')"];

/** A worker with samples. */
export interface CitusWorker {
  /** Host and port. */
  server: string;
  shards: number;
  bytes: number;
}

/** Whether Citus has distributed the samples. */
export async function isOnCitus(client: Connection): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const { rows } = await client.query<{ distributed: boolean }>(
    "SELECT EXISTS (SELECT FROM citus_tables WHERE table_name = 'sample_chunks'::regclass) AS distributed",
  );
  return rows[0]?.distributed === true;
}

/** Returns the workers with samples, ordered by address; empty if Citus has not distributed the samples. */
export async function citusWorkers(client: Connection): Promise<CitusWorker[]> {
  if (!(await isOnCitus(client))) return [];
  const { rows } = await client.query<CitusWorker>(
    `SELECT nodename || ':' || nodeport AS server, count(*)::integer AS shards, sum(shard_size)::float8 AS bytes
     FROM citus_shards WHERE table_name = 'sample_chunks'::regclass GROUP BY nodename, nodeport ORDER BY 1`,
  );
  return rows;
}

/**
 * Distributes the samples with Citus. Writes of samples wait until this is complete. After an interruption, call it again to drop
 * the local rows.
 *
 * @param client a connection to the database with a dedicated session and no statement timeout
 * @returns false if Citus has already distributed them
 * @throws UsageError without Citus, when the samples are on servers of `postgres_fdw` or being moved there, and while another
 *   command moves them
 */
export async function distributeOnCitus(client: Connection): Promise<boolean> {
  return whileNoneMoves(client, async () => {
    await requireCitus(client);
    const isNew = !(await isOnCitus(client));
    if (isNew) await client.query(CREATE);
    await client.query(DROP_LOCAL_ROWS);
    return isNew;
  });
}

/** @throws UsageError without Citus, and when the samples are on servers of `postgres_fdw` or being moved there */
export async function requireCitus(client: Connection): Promise<void> {
  if (!(await hasCitus(client))) {
    throw new UsageError(
      "This database has no Citus. Run CREATE EXTENSION citus as a superuser, and add the workers (docs/several-servers.md).",
    );
  }
  if ((await stateOf(client)) !== undefined) {
    throw new UsageError(
      "A move of the samples has begun. Finish it, or cancel it with asi-server samples cancel-move.",
    );
  }
  if ((await sampleServers(client)).length > 0) {
    throw new UsageError(
      "The samples are already on other servers. Move them back first: asi-server samples gather.",
    );
  }
}

/** @throws UsageError when Citus has the samples */
export async function requireOffCitus(client: Connection): Promise<void> {
  if (await isOnCitus(client)) {
    throw new UsageError(
      "The samples are distributed by Citus. Move them back first: asi-server samples gather.",
    );
  }
}

/**
 * Moves the samples back to one table of the database. Reads and writes of samples wait until this is complete.
 *
 * @param client a connection to the database with a dedicated session and no statement timeout
 * @returns false if Citus has not distributed the samples
 * @throws UsageError while another command moves the samples
 */
export async function gatherFromCitus(client: Connection): Promise<boolean> {
  return whileNoneMoves(client, async () => {
    if (!(await isOnCitus(client))) return false;
    for (const statement of GATHER) await client.query(statement);
    return true;
  });
}

async function hasCitus(client: Connection): Promise<boolean> {
  const { rows } = await client.query<{ installed: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS installed",
  );
  return rows[0]?.installed === true;
}
