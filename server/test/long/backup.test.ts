/** Tests a backup that is larger than the longest JavaScript string, during other requests. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { backup } from "../../src/store/backup/backup.js";
import { restore } from "../../src/store/backup/restore.js";
import { newStore } from "../databases.js";
import { newScratchFolder } from "../scratch.js";
import { TestService } from "../service.js";
import { newActivity } from "../team.js";

describe("a backup", () => {
  it("is written and read in limited memory even if it is larger than the longest string, and other work continues", async () => {
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    const activity = await newActivity(s, ann);
    const { pool } = s.store.database;
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    // The database creates 115 activities of the maximum size, 5 MiB.
    await pool.query(
      `INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
       SELECT 'large', jsonb_build_object('sport', 'soccer', 'gpx', repeat(md5(n::text), 163840)), json_schema_id, owner_id, now()
       FROM activities, generate_series(1, 115) AS n WHERE id = $1`,
      [activity],
    );
    let peak = 0;
    let slowest = 0;
    let asked = 0;
    const before = process.memoryUsage().rss;
    let isDone = false;
    const bystander = (async () => {
      while (!isDone) {
        const start = performance.now();
        expect((await s.get("/api/v1/account/", ann.token)).status).toBe(200);
        slowest = Math.max(slowest, performance.now() - start);
        peak = Math.max(peak, process.memoryUsage().rss - before);
        asked++;
        await sleep(20);
      }
    })();
    const rows = await backup(s.store.database, file, folder);
    isDone = true;
    await bystander;
    expect(rows).toBeGreaterThan(115);
    expect(asked).toBeGreaterThan(20);
    // If the backup used the only session, requests would wait until its end, for tens of seconds.
    expect(slowest).toBeLessThan(5_000);
    expect(peak).toBeLessThan(600 * 1024 * 1024);
    expect(await restore(s.store.database.queries, file)).toBe(rows);
    expect((await s.get("/api/v1/account/", ann.token)).status).toBe(200);
  });
});
