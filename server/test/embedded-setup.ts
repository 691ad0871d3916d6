import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../src/store/connection/database.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { bundleThread } from "./bundle-thread.js";
import { startRun } from "./run-folder.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with the embedded databases that tests copy. */
    embeddedTemplates: string;
  }
}

/** Creates a folder for the files of the run, with embedded databases that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const endRun = startRun();
  const scratch = mkdtempSync(join(tmpdir(), "embedded-"));
  const templates = join(scratch, "templates");
  mkdirSync(templates);
  const database = await openDatabase({ folder: join(templates, "migrated") });
  await database.pool.query("SELECT 1");
  await database.copyTo?.(join(templates, "empty"));
  await migrate(database);
  await database.close();
  project.provide("scratch", scratch);
  project.provide("computationThread", bundleThread(scratch));
  project.provide("embeddedTemplates", templates);
  return async () => {
    rmSync(scratch, { recursive: true, force: true });
    await endRun();
  };
}
