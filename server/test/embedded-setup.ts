import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../src/store/database.js";

declare module "vitest" {
  interface ProvidedContext {
    embeddedTemplate: string;
  }
}

/** A folder for the run's files, and in it an empty embedded database for the tests to copy. */
export default async function setup(project: TestProject): Promise<() => void> {
  const scratch = mkdtempSync(join(tmpdir(), "asi-test-embedded-"));
  const template = join(scratch, "template");
  const database = await openDatabase({ folder: template });
  await database.pool.query("SELECT 1");
  await database.close();
  project.provide("scratch", scratch);
  project.provide("embeddedTemplate", template);
  return () => rmSync(scratch, { recursive: true, force: true });
}
