/** Creates databases for the tests of a file, and removes them at its end. */
import { randomBytes } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import type { Service } from "../src/process/service.js";
import { type Database, openDatabase } from "../src/store/connection/database.js";
import type { Store } from "../src/store/open.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { moveSamples } from "../src/store/sample-servers/move.js";
import { stopAfterTest } from "./cleanup.js";
import { newScratchFolder } from "./scratch.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

/** Template of a new database: without tables, or with the tables of this release. */
export type Template = "empty" | "migrated";

/** Databases on the server of the run, and folders of embedded databases, that the tests of a file have created. */
const created = { databases: [] as string[], folders: [] as string[] };

/** Removes the databases of a file after its tests, because a run creates hundreds of databases of 10 to 40 MB each. */
export async function removeDatabases(): Promise<void> {
  for (const folder of created.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  const names = created.databases.splice(0);
  if (names.length > 0)
    await onServer(async (admin) => {
      for (const name of names) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
}

/** Copies a folder with an embedded database, because creating and migrating one takes seconds. */
function newFolder(template: Template): string {
  const folder = newScratchFolder();
  created.folders.push(folder);
  cpSync(join(inject("embeddedTemplates"), template), folder, { recursive: true });
  return folder;
}

/** Connects to the server of the run as administrator. */
async function onServer(use: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client(`${inject("postgresUrl")}postgres`);
  await admin.connect();
  await use(admin);
  await admin.end();
}

/** Creates a database on the server of the run. @returns its URL */
async function newServerDatabase(template: Template): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  created.databases.push(name);
  return `${inject("postgresUrl")}${name}`;
}

/**
 * Number of connections per pool. One caller gets a third of them, and up to five reads of one caller wait for a lock in the
 * tests.
 */
const POOL_SIZE = 18;

/** Creates a database, without tables by default; the caller must close it. */
export async function newDatabase(
  template: Template = "empty",
): Promise<{ database: Database; databaseUrl: string | null }> {
  const databaseUrl = isPostgres ? await newServerDatabase(template) : null;
  const database = await openDatabase(
    databaseUrl === null ? { folder: newFolder(template) } : { url: databaseUrl, poolSize: POOL_SIZE },
  );
  return { database, databaseUrl };
}

type TestStore = Store & { databaseUrl: string | null };

/** Services to stop before a store is closed, because a failed `beforeAll` does not stop its services. */
export const runningOn = new WeakMap<Store, Set<Service>>();

/** Creates an empty, migrated database; within a test, it is closed at the end of the test. */
export async function newStore(): Promise<TestStore> {
  const store = await lastingStore();
  stopAfterTest(() => store.close());
  return store;
}

/** Distributes the samples over the servers of the run, if there are any. */
async function distribute({ kind, direct }: Database): Promise<void> {
  const urls = kind === "postgres" ? inject("sampleServerUrls") : [];
  if (urls.length === 0) return;
  const client = await direct.connect();
  try {
    await moveSamples(client, urls.map(serverAddress));
  } finally {
    client.release(true);
  }
}

/** Creates an empty, migrated database that outlives the test; the caller must close it. */
export async function lastingStore(): Promise<TestStore> {
  const { database, databaseUrl } = await newDatabase("migrated");
  await distribute(database);
  let closed: Promise<void> | undefined;
  const store = {
    database,
    serverKey: randomBytes(32),
    databaseUrl,
    close() {
      closed ??= close();
      return closed;
    },
  };
  async function close(): Promise<void> {
    for (const service of runningOn.get(store) ?? []) await service.stop();
    await database.close();
  }
  return store;
}
