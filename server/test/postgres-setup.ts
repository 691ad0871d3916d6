import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../src/store/connection/database.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { bundleThread } from "./bundle-thread.js";
import { startPostgres } from "./postgres.js";
import { startRun } from "./run-folder.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    /** Servers for the samples of every database in the run. Most runs have none. */
    sampleServerUrls: readonly string[];
  }
}

/** Creates a folder for the files of the run, and starts one PostgreSQL server for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const endRun = startRun();
  const scratch = mkdtempSync(join(tmpdir(), "postgres-"));
  const server = await startPostgres();
  await addTemplates(server.url);
  project.provide("scratch", scratch);
  project.provide("computationThread", bundleThread(scratch));
  project.provide("postgresUrl", server.url);
  project.provide("sampleServerUrls", []);
  return async () => {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
    await endRun();
  };
}

/** Creates databases for tests to copy, because copying takes less time than migrating. */
async function addTemplates(url: string): Promise<void> {
  const admin = new pg.Client(`${url}postgres`);
  await admin.connect();
  for (const name of ["empty", "migrated"]) await admin.query(`CREATE DATABASE ${name}`);
  const database = await openDatabase({ url: `${url}migrated`, poolSize: 2 });
  await migrate(database);
  await database.close();
  await admin.end();
}
