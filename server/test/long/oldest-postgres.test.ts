/** Tests the oldest supported PostgreSQL. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/operator/commands.js";
import { backup } from "../../src/store/backup/backup.js";
import { restore } from "../../src/store/backup/restore.js";
import { OLDEST_MAJOR } from "../../src/store/connection/server-version.js";
import { openStore } from "../../src/store/open.js";
import { stopAfterTest } from "../cleanup.js";
import { OLDEST_PROGRAMS, startPostgres } from "../postgres.js";
import { moveTo, storeOn } from "../sample-servers.js";
import { newScene } from "../scene.js";
import { newScratchFolder } from "../scratch.js";
import { TestService } from "../service.js";
import { testConfig } from "../test-config.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";
if (isPostgres && OLDEST_PROGRAMS === undefined)
  console.warn(`PostgreSQL ${OLDEST_MAJOR} is not installed: nothing is tested with it.`);

async function serviceOnOldest() {
  const server = await startPostgres({ programs: OLDEST_PROGRAMS ?? "" });
  stopAfterTest(() => server.stop());
  const databaseUrl = `${server.url}postgres`;
  const store = await openStore(testConfig({ databaseUrl }));
  stopAfterTest(() => store.close());
  return { databaseUrl, store, s: await TestService.start(store, { databaseUrl }) };
}

describe.runIf(isPostgres && OLDEST_PROGRAMS !== undefined)(`on PostgreSQL ${OLDEST_MAJOR}`, () => {
  it("the service works, and a backup can be restored", async () => {
    const { store, s } = await serviceOnOldest();
    const { rows } = await store.database.pool.query("SHOW server_version_num");
    expect(Math.trunc(Number(rows[0].server_version_num) / 10_000)).toBe(OLDEST_MAJOR);
    const { owner, ids } = await newScene(s);
    const path = `/api/v1/timeframes/${ids.timeframe}/computed-data/`;
    expect((await s.get(path, owner.token)).status).toBe(200);
    const folder = newScratchFolder();
    const written = await backup(store.database, join(folder, "b"), folder);
    expect(await restore(store.database.queries, join(folder, "b"))).toBe(written);
    expect((await s.get(path, owner.token)).status).toBe(200);
  });

  it("samples can be moved to a newer database, read there and moved back", async () => {
    const server = await startPostgres({ programs: OLDEST_PROGRAMS ?? "" });
    stopAfterTest(() => server.stop());
    const store = await storeOn([server]);
    stopAfterTest(() => store.close());
    const s = await TestService.start(store);
    const { owner, ids } = await newScene(s);
    const path = `/api/v1/devices/${ids.device}/latest-raw-data/`;
    const latest = async () => (await s.get(path, owner.token)).body.length;
    const before = await latest();
    expect(before).toBeGreaterThan(0);
    await moveTo(store.database, []);
    expect(await latest()).toBe(before);
  });

  it("`samples distribute` is refused before it changes anything, with and without `--dry-run`", async () => {
    const { databaseUrl, s } = await serviceOnOldest();
    const servers = join(newScratchFolder(), "servers");
    writeFileSync(servers, `${databaseUrl.replace("/postgres", "/template1")}\n`);
    for (const dryRun of [true, undefined]) {
      await expect(commands["samples distribute"](s.ctx, { servers, dryRun })).rejects.toThrow(
        "samples distribute requires PostgreSQL 16 or later, but the server is PostgreSQL 15.",
      );
    }
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query(
      "SELECT nspname FROM pg_namespace WHERE nspname = 'sample_move' UNION ALL SELECT extname FROM pg_extension WHERE extname = 'postgres_fdw'",
    );
    await client.end();
    expect(rows).toEqual([]);
  });
});
