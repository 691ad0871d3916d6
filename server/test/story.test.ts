/** Tests the example in the README with the built service as a process, and a client that uses only HTTP. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { newStore } from "./databases.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

it("a complete client session works, from registration to computed data that follow a change", {
  timeout: 120_000,
}, async () => {
  const store = isPostgres ? await newStore() : undefined;
  await store?.close();
  const env = {
    PATH: process.env.PATH ?? "",
    ...(store?.databaseUrl === undefined || store.databaseUrl === null
      ? {}
      : { DATABASE_URL: store.databaseUrl }),
  };
  const run = join(import.meta.dirname, "../story/run.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", run], { env });
  // The number of rows in the recording; see fixtures/valid/match-hr.json.
  expect(stdout).toContain("7200 samples");
  expect(stdout).toContain("delivered timeframe-created");
  expect(stdout).toContain("recomputed");
  expect(stdout.trim().split("\n").at(-1)).toBe("The service behaved as documented.");
});
