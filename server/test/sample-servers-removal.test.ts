/** Kills the service's database after a sample server has removed samples but before the database itself commits. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { openDatabase } from "../src/store/connection/database.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { jobs } from "../src/store/schema.js";
import { follow, samplesOf } from "./change-reader.js";
import { type PostgresServer, startPostgres } from "./postgres.js";
import { isSpread, moveTo, startServers } from "./sample-servers.js";
import { TestService } from "./service.js";
import { store, Team } from "./team.js";

/** Delays each commit of the database by 100 ms after the commit of the server; see `cut-commits.ts`. */
const SLOW_COMMITS = ["fsync=on", "synchronous_commit=on", "commit_delay=100000", "commit_siblings=0"];
/** Maximum number of tries, because a kill may come too late. */
const MAX_TRIES = 10;
const PATIENCE = { timeout: 60_000, interval: 100 };
const START_MS = Date.parse("2024-05-16T13:00:00Z");
const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

describe.runIf(isSpread)("a removal that is interrupted between two commits is reported later", () => {
  let coordinator: PostgresServer;
  let server: PostgresServer;
  let s: TestService;
  let watching: pg.Client;
  let table: string;

  beforeAll(async () => {
    coordinator = await startPostgres({ settings: SLOW_COMMITS });
    [server] = (await startServers(1)) as [PostgresServer];
    const database = await openDatabase({ url: `${coordinator.url}postgres`, poolSize: 8 });
    await migrate(database);
    await moveTo(database, [server]);
    const close = () => database.close();
    s = await TestService.startLasting(
      { database, serverKey: randomBytes(32), close },
      { rawDataCacheBytes: 0 },
    );
    watching = new pg.Client(`${server.url}postgres`);
    await watching.connect();
    const { rows } = await watching.query(
      "SELECT relname AS name FROM pg_class WHERE relname ~ '^sample_chunks_[0-9a-f]+$'",
    );
    table = rows[0].name;
    return async () => {
      await watching.end();
      await s.stop();
      await close();
      await coordinator.stop();
      await server.stop();
    };
  });

  const onServer = async () =>
    (await watching.query(`SELECT coalesce(sum(n), 0)::int AS n FROM ${table}`)).rows[0].n as number;

  const notes = () => s.store.database.queries.select().from(jobs).where(eq(jobs.kind, "removal"));

  /** Kills the database as soon as the server has removed all samples. @returns whether the removal was interrupted */
  async function cut(remove: () => Promise<unknown>): Promise<boolean> {
    const removal = remove().catch(() => undefined);
    while ((await onServer()) > 0) await sleep(2);
    await coordinator.kill();
    await coordinator.restart();
    await removal;
    await expect.poll(() => notes().catch(() => null), PATIENCE).not.toBeNull();
    return (await notes()).length > 0;
  }

  const ways: Record<string, (team: Team) => Promise<unknown>> = {
    retention: () => applyRetention({ ...s.ctx, config: { ...s.config, rawRetentionDays: -1 } }),
    "samples delete": ({ device }) =>
      commands["samples delete"](s.ctx, {
        serialNumber: device.serial_number,
        start: iso(START_MS - DAY_MS),
        stop: iso(START_MS + DAY_MS),
      }),
    "athlete erase": ({ athlete }) =>
      commands["athlete erase"](s.ctx, { id: String(athlete), samples: true, yes: true }),
  };

  it.for(Object.keys(ways))("if its cause is %s", { timeout: 300_000 }, async (way) => {
    let isCut = false;
    for (let tries = 0; tries < MAX_TRIES && !isCut; tries++) {
      const team = await Team.of(s, { first_name: "Ada" });
      await s.backdate(team.device, "2020-01-01T00:00:00Z");
      const created = await team.create({ start_time: iso(START_MS), end_time: iso(START_MS + 10_000) });
      expect(created.status).toBe(201);
      await store(
        s,
        team.device.id,
        [0, 1, 2].map((second) => ({ t: START_MS + second * 1000, speed: 3000 })),
      );
      const next = await follow(s, team.manager);
      isCut = await cut(async () => ways[way]?.(team));
      // The service is still running, and does not read the job before it is due.
      if (isCut) expect((await next()).filter(({ kind }) => kind === "samples")).toEqual([]);
      s.clock.advance(60_000);
      await s.runJobs();
      expect((await next()).filter(({ kind }) => kind === "samples")).toEqual(
        isCut ? [samplesOf(team.device.id, iso(START_MS), iso(START_MS + 2_001))] : expect.anything(),
      );
    }
    expect(isCut).toBe(true);
  });
});
