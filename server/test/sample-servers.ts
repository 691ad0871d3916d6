/** Creates databases whose samples are on separate servers, which a test may stop. */
import { randomBytes } from "node:crypto";
import type { Database } from "../src/store/connection/database.js";
import { migrate } from "../src/store/migrations/migrate.js";
import type { Store } from "../src/store/open.js";
import { sampleServers } from "../src/store/placement/placement.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { moveSamples } from "../src/store/sample-servers/move.js";
import { newDatabase } from "./databases.js";
import { type PostgresServer, startPostgres } from "./postgres.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";

/** Whether the tests run in the project with distributed databases. */
export const isSpread = process.env.TEST_DISTRIBUTED === "1";

export async function startServers(count: number): Promise<PostgresServer[]> {
  return Promise.all(Array.from({ length: count }, () => startPostgres()));
}

/** Moves the samples of a database to servers, or back to the database if there are none. */
export async function moveTo({ direct }: Pick<Database, "direct">, servers: readonly PostgresServer[]) {
  const client = await direct.connect();
  try {
    return await moveSamples(
      client,
      servers.map(({ url }) => serverAddress(`${url}postgres`)),
    );
  } finally {
    client.release(true);
  }
}

/** Creates a migrated database with samples on the servers; the caller must close it. */
export async function storeOn(servers: readonly PostgresServer[]): Promise<Store & { databaseUrl: string }> {
  const { database, databaseUrl } = await newDatabase();
  await migrate(database);
  if (servers.length > 0) await moveTo(database, servers);
  return {
    database,
    serverKey: randomBytes(32),
    databaseUrl: databaseUrl ?? "",
    close: () => database.close(),
  };
}

/** Returns the index of the server with the samples of a device. */
export async function serverOfDevice({ pool }: Pick<Database, "pool">, device: number): Promise<number> {
  const servers = await sampleServers(pool);
  for (const { remainder } of servers) {
    const { rows } = await pool.query(
      "SELECT satisfies_hash_partition('sample_chunks'::regclass, $1, $2, $3::bigint) AS has",
      [servers.length, remainder, device],
    );
    if (rows[0].has) return remainder;
  }
  throw new Error(`No server has device ${device}`);
}

/** Creates a device of the manager for each server. @returns the devices in the order of the servers */
export async function deviceOnEach(s: TestService, by: TestAccount, count: number): Promise<TestDevice[]> {
  const found: TestDevice[] = [];
  // A hundred random devices practically always cover all servers.
  for (let tries = 0; tries < 100 && Object.keys(found).length < count; tries++) {
    const device = await s.device();
    const server = await serverOfDevice(s.store.database, device.id);
    if (found[server] !== undefined) continue;
    await s.take(device, by);
    await s.backdate(device, "2020-01-01T00:00:00Z");
    found[server] = device;
  }
  return found;
}
