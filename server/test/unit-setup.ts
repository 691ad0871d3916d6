import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundleThread } from "./bundle-thread.js";
import { startRun } from "./run-folder.js";

/** Prepares unit tests, which need no database, only a folder for files and the program of the computation threads. */
export default function setup(project: TestProject): () => Promise<void> {
  const endRun = startRun();
  const scratch = mkdtempSync(join(tmpdir(), "unit-"));
  project.provide("computationThread", bundleThread(scratch));
  return async () => {
    rmSync(scratch, { recursive: true, force: true });
    await endRun();
  };
}
