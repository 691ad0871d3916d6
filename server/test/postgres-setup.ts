import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    /** Servers to which every database of the run spreads its samples; none in most runs. */
    sampleServerUrls: readonly string[];
  }
}

/** A folder for the run's files, and one PostgreSQL server for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(tmpdir(), "asi-test-postgres-"));
  const server = await startPostgres();
  project.provide("scratch", scratch);
  project.provide("postgresUrl", server.url);
  project.provide("sampleServerUrls", []);
  return async () => {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  };
}
