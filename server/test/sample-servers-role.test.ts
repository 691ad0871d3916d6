/**
 * Tests samples on several servers for a role without superuser rights, which is configured with the statements in
 * docs/several-servers.md.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { openStore, type Store } from "../src/store/open.js";
import { sampleServers } from "../src/store/placement/placement.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { moveSamples } from "../src/store/sample-servers/move.js";
import type { PostgresServer } from "./postgres.js";
import { walk } from "./recordings.js";
import { deviceOnEach, isSpread, startServers } from "./sample-servers.js";
import { TestService } from "./service.js";
import { testConfig } from "./test-config.js";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/several-servers.md"), "utf8");
const PASSWORD = "a 'password' of \\ the servers";
const START_MS = Date.parse("2024-03-01T10:00:00Z");

describe.runIf(process.env.TEST_DATABASE === "postgres" && !isSpread)(
  "a role without superuser rights",
  () => {
    let servers: PostgresServer[];
    let store: Store;

    async function as(url: string, ...statements: string[]): Promise<void> {
      const client = new pg.Client(url);
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    }

    /**
     * Creates a role on a server that owns a database and can log in only with its password.
     * @returns the address of the database
     */
    async function prepare({ url }: PostgresServer): Promise<string> {
      const client = new pg.Client(`${url}postgres`);
      await client.connect();
      await client.query(`CREATE ROLE samples LOGIN PASSWORD ${pg.escapeLiteral(PASSWORD)}`);
      await client.query("CREATE DATABASE samples OWNER samples");
      const { rows } = await client.query<{ hba_file: string }>("SHOW hba_file");
      const file = rows[0]?.hba_file ?? "";
      writeFileSync(file, `host all samples 127.0.0.1/32 scram-sha-256\n${readFileSync(file, "utf8")}`);
      await client.query("SELECT pg_reload_conf()");
      await client.end();
      const address = new URL(`${url}samples`);
      address.username = "samples";
      address.password = encodeURIComponent(PASSWORD);
      return address.href;
    }

    beforeAll(async () => {
      servers = await startServers(2);
      return async () => {
        for (const server of servers) await server.stop();
      };
    });

    beforeEach(async () => {
      const superuser = inject("postgresUrl");
      const name = `asi_${randomBytes(4).toString("hex")}`;
      await as(`${superuser}postgres`, `CREATE ROLE ${name} LOGIN`, `CREATE DATABASE ${name} OWNER ${name}`);
      const [setup = ""] = [...GUIDE.matchAll(/```sql\n(.*?)```/gs)].map(([, text]) => text ?? "");
      await as(superuser + name, setup.replace(/\basi\b/g, name));
      store = await openStore(testConfig({ databaseUrl: superuser.replace("postgres@", `${name}@`) + name }));
      return () => store.close();
    });

    const distribute = async (addresses: readonly string[]) => {
      const client = await store.database.direct.connect();
      try {
        return await moveSamples(client, addresses.map(serverAddress));
      } finally {
        client.release(true);
      }
    };

    it("moves the samples to servers that require a password, stores, reads, and moves them back", async () => {
      const { rows } = await store.database.pool.query(
        "SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
      );
      expect(rows).toEqual([{ rolsuper: false }]);
      await distribute(await Promise.all(servers.map(prepare)));
      expect(await sampleServers(store.database.pool)).toHaveLength(2);
      const s = await TestService.start(store);
      const ann = await s.manager();
      for (const device of await deviceOnEach(s, ann, 2)) {
        const recording = await walk(device.serial_number, new Date(START_MS).toISOString(), 100);
        expect((await s.load(device, ann, recording)).body.state).toBe("SUCCESS");
        const range = `start=${START_MS}&stop=${START_MS + 3_600_000}`;
        const { body } = await s.get(`/api/v1/devices/${device.id}/preprocessed-data/?${range}`, ann.token);
        expect(body.count).toBe(100);
      }
      await s.stop();
      await distribute([]);
      const kept = await store.database.pool.query("SELECT sum(n)::int AS samples FROM sample_chunks");
      expect(kept.rows).toEqual([{ samples: 200 }]);
    });

    it("moves nothing while a second role runs the service, and names the role", async () => {
      const { pool } = store.database;
      const { rows } = await pool.query<{ name: string }>("SELECT current_database() AS name");
      const other = `${rows[0]?.name}_service`;
      await as(`${inject("postgresUrl")}postgres`, `CREATE ROLE ${other} LOGIN`);
      await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${other}`);
      for (const addresses of [["postgres://samples:password@127.0.0.1:1/none"], []])
        await expect(distribute(addresses)).rejects.toThrow(new RegExp(`role ${other} can write samples`));
      const moving = "SELECT count(*)::int AS count FROM pg_namespace WHERE nspname = 'sample_move'";
      expect((await pool.query(moving)).rows).toEqual([{ count: 0 }]);
      await pool.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${other}`);
    });

    it("cannot use a server that accepts it without a password", async () => {
      const s = await TestService.start(store);
      const ann = await s.manager();
      const device = await s.ownedDevice(ann);
      await s.backdate(device, "2020-01-01T00:00:00Z");
      await s.load(device, ann, await walk(device.serial_number, new Date(START_MS).toISOString(), 10));
      await s.stop();
      const [, trusting] = servers as [PostgresServer, PostgresServer];
      await expect(distribute([`${trusting.url}postgres`])).rejects.toThrow(/password/);
    });
  },
);
