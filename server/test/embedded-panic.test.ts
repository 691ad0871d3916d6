/**
 * Tests that the service recovers without a restart when the embedded engine panics, such as after a checkpoint on a full disk.
 */
import { cpSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { openDatabase } from "../src/store/connection/database.js";
import { isUnavailable } from "../src/store/connection/database-errors.js";
import { stopAfterTest } from "./cleanup.js";
import { newScratchFolder } from "./scratch.js";

/** Path of a file that every checkpoint writes. If a folder is in its place, the engine panics, as on a full disk. */
const unwritable = (folder: string) => join(folder, "pg_logical/replorigin_checkpoint.tmp");

/** Creates the files of an empty database. */
function newFiles(): string {
  const folder = join(newScratchFolder(), "database");
  cpSync(join(inject("embeddedTemplates"), "empty"), folder, { recursive: true });
  return folder;
}

it.runIf(process.env.TEST_DATABASE === "embedded")(
  "the next statement after a panic restarts the engine, and no stored data is lost",
  { timeout: 60_000 },
  async () => {
    const folder = newFiles();
    const database = await openDatabase({ folder });
    stopAfterTest(() => database.close());
    await database.pool.query("CREATE TABLE samples (at int)");
    await database.pool.query("INSERT INTO samples VALUES (1), (2)");
    const count = () => database.pool.query("SELECT count(*)::int AS count FROM samples");

    mkdirSync(unwritable(folder));
    await expect(database.pool.query("CHECKPOINT")).rejects.toMatchObject({ severity: "PANIC" });
    // The first statement finds that the engine has ended, the second one that it cannot start.
    await expect(count()).rejects.toSatisfy(isUnavailable);
    await expect(count()).rejects.toSatisfy(isUnavailable);

    rmdirSync(unwritable(folder));
    expect((await count()).rows).toEqual([{ count: 2 }]);
    await database.pool.query("INSERT INTO samples VALUES (3)");
    expect((await count()).rows).toEqual([{ count: 3 }]);
  },
);

it.runIf(process.env.TEST_DATABASE === "embedded")(
  "a database can be closed after a panic of its engine: SIGTERM ends the service",
  { timeout: 60_000 },
  async () => {
    const folder = newFiles();
    const database = await openDatabase({ folder });
    mkdirSync(unwritable(folder));
    await expect(database.pool.query("CHECKPOINT")).rejects.toMatchObject({ severity: "PANIC" });
    await database.close();
  },
);
