/**
 * Measures the two promises about computed data, on the embedded database and on PostgreSQL:
 * - a time frame of 2 hours at 10 Hz is computed, its samples read, in at most 100 ms of one core;
 * - while 100 time frames of one activity are computed anew, the 99th percentile of the API's answers stays under three
 *   times the idle value.
 *
 *     npm run bench:computed-data -w server
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { and, count, eq, inArray } from "drizzle-orm";
import { transact } from "../src/domain/change.js";
import { computedDataOf } from "../src/domain/computed-data/compute.js";
import { recompute } from "../src/domain/timeframes/recompute.js";
import { jobs, timeframes } from "../src/store/schema.js";
import { startPostgres } from "../test/postgres.js";
import { openScene, quantile, type Scene, START_MS, storeMatch } from "./scene.js";

const FRAME_SECONDS = 7200;
const FRAMES = 100;
const ROUNDS = 30;
const REQUESTS_PER_SECOND = 100;
const IDLE_SECONDS = 15;

async function activityWith(scene: Scene, frames: number): Promise<{ activity: number; ids: number[] }> {
  const { id: activity } = await scene.post("/api/v1/activities/", {
    name: "bench",
    json: { sport: "soccer" },
    json_schema: await scene.schemaId("activity_soccer"),
    owner: scene.managerId,
  });
  const ids: number[] = [];
  for (let i = 0; i < frames; i++) {
    const { id } = await scene.post("/api/v1/timeframes/", {
      start_time: new Date(START_MS).toISOString(),
      end_time: new Date(START_MS + FRAME_SECONDS * 1000).toISOString(),
      params: {},
      device: scene.deviceId,
      activity,
      athlete: scene.athleteId,
      owner: scene.managerId,
      json_schema: await scene.schemaId("timeframe_soccer"),
    });
    ids.push(id);
  }
  return { activity, ids };
}

/** One time frame, again and again: elapsed time, and the processor time of all threads. */
async function measureOne(scene: Scene): Promise<void> {
  const { ids } = await activityWith(scene, 1);
  const [id = 0] = ids;
  await idle(scene);
  const elapsedMs: number[] = [];
  const processorMs: number[] = [];
  for (let round = 0; round < ROUNDS + 5; round++) {
    await transact({ ...scene.ctx, jobsAdded: () => undefined }, "bench", async (change) => {
      await recompute({ ...change, enqueueAll: async () => undefined }, eq(timeframes.id, id));
    });
    const begin = performance.now();
    const before = process.cpuUsage();
    await computedDataOf(scene.ctx, id);
    const { user, system } = process.cpuUsage(before);
    if (round < 5) continue;
    elapsedMs.push(performance.now() - begin);
    processorMs.push((user + system) / 1000);
  }
  console.log(
    `  2 h at 10 Hz, read and computed: median ${quantile(elapsedMs, 0.5).toFixed(1)} ms, ` +
      `90 % within ${quantile(elapsedMs, 0.9).toFixed(1)} ms; ` +
      `processor, all threads: median ${quantile(processorMs, 0.5).toFixed(1)} ms (at most 100)`,
  );
}

async function waitingJobs({ ctx }: Scene): Promise<number> {
  const [row] = await ctx.queries
    .select({ waiting: count() })
    .from(jobs)
    .where(and(eq(jobs.kind, "compute"), inArray(jobs.state, ["PENDING", "STARTED", "RETRY"])));
  return row?.waiting ?? 0;
}

async function idle(scene: Scene): Promise<void> {
  while ((await waitingJobs(scene)) > 0) await sleep(100);
}

/** Answer times of the API, from another process, while something goes on. */
async function underLoad(scene: Scene, urls: string[], until: () => Promise<void>): Promise<number[]> {
  const client = fork(
    fileURLToPath(new URL("./load.ts", import.meta.url)),
    [scene.token, String(REQUESTS_PER_SECOND), ...urls],
    { execArgv: ["--import", "tsx"] },
  );
  await until();
  const reported = once(client, "message");
  client.send("stop");
  const [durationsMs] = (await reported) as [number[]];
  return durationsMs;
}

async function measureMany(scene: Scene): Promise<void> {
  const { activity, ids } = await activityWith(scene, FRAMES);
  const urls = [
    `${scene.url}/api/v1/timeframes/${ids[0]}/`,
    `${scene.url}/api/v1/devices/`,
    `${scene.url}/api/v1/activities/${activity}/`,
  ];
  await idle(scene);
  // Warm.
  await underLoad(scene, urls, () => sleep(3000));
  const idleMs = await underLoad(scene, urls, () => sleep(IDLE_SECONDS * 1000));
  let tookMs = 0;
  let times = 0;
  const busyMs = await underLoad(scene, urls, async () => {
    await sleep(1000);
    const begin = performance.now();
    do {
      await scene.patch(`/api/v1/activities/${activity}/`, { name: `bench ${times++}` });
      await idle(scene);
    } while (performance.now() - begin < IDLE_SECONDS * 1000);
    tookMs = (performance.now() - begin) / times;
  });
  const p99 = { idle: quantile(idleMs, 0.99), busy: quantile(busyMs, 0.99) };
  console.log(
    `  ${FRAMES} time frames of 2 h anew: ${(tookMs / 1000).toFixed(2)} s; meanwhile ${REQUESTS_PER_SECOND} requests/s: ` +
      `median ${quantile(idleMs, 0.5).toFixed(1)} -> ${quantile(busyMs, 0.5).toFixed(1)} ms, ` +
      `p99 ${p99.idle.toFixed(1)} -> ${p99.busy.toFixed(1)} ms, ${(p99.busy / p99.idle).toFixed(2)} times (under 3)`,
  );
}

async function measure(name: string, databaseUrl: string | null): Promise<void> {
  console.log(name);
  const scene = await openScene(databaseUrl);
  await storeMatch(scene, FRAME_SECONDS);
  await measureOne(scene);
  await measureMany(scene);
  await scene.close();
}

await measure("embedded database", null);
const server = await startPostgres();
await measure("PostgreSQL", `${server.url}postgres`);
await server.stop();
