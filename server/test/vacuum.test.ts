/** The embedded database has no process of its own that tidies: the jobs do it. */
import { describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { walk } from "./recordings.js";
import { newStore, TestService } from "./service.js";

/** Pages of a table of which the database knows that all their rows can be seen: none before the first VACUUM. */
async function tidyPages({ store }: TestService, table: string): Promise<number> {
  const { rows } = await store.database.pool.query("SELECT relallvisible FROM pg_class WHERE relname = $1", [
    table,
  ]);
  return rows[0].relallvisible;
}

describe.runIf(process.env.TEST_DATABASE === "embedded")("the embedded database", () => {
  it("is vacuumed after a bulk load, and wholly by the retention", async () => {
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    expect(await tidyPages(s, "sample_chunks")).toBe(0);
    await s.load(device, ann, await walk(device.serial_number, new Date().toISOString(), 10));
    expect(await tidyPages(s, "sample_chunks")).toBeGreaterThan(0);
    expect(await tidyPages(s, "accounts")).toBe(0);
    await applyRetention(s.computing);
    expect(await tidyPages(s, "accounts")).toBeGreaterThan(0);
  });
});
