/**
 * Promises of the service about computed data:
 * - a time frame of 2 hours at 10 Hz is computed, including reading its samples, in at most 100 ms of one core;
 * - while 100 time frames of one activity are recomputed, the 99th percentile of the response times of the API stays under three
 *   times the idle value.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { and, count, eq, inArray, sql } from "drizzle-orm";
import { transact } from "../src/domain/change/change.js";
import { computedDataOf } from "../src/domain/computed-data/compute.js";
import { jobs } from "../src/store/schema.js";
import { median, quantile } from "./measure.js";
import { type Scene, START_MS, storeMatch } from "./scene.js";

const FRAME_SECONDS = 7200;
const REQUESTS_PER_SECOND = 100;
const WARM_UP_ROUNDS = 5;
const IDLE_TIMEOUT_MS = 300_000;

/** Amount of work and duration of the measurement. */
export interface ComputedDataExtent {
  rounds: number;
  frames: number;
  seconds: number;
}

export interface ComputedDataFigures {
  /** Elapsed time and processor time of all threads for reading and computing one time frame, medians, ms. */
  elapsedMs: number;
  processorMs: number;
  /** Mean duration of computing all time frames of the activity once, ms. */
  allFramesMs: number;
  /** Response times of the API, 99th percentiles, ms. */
  idleP99Ms: number;
  busyP99Ms: number;
}

export async function measureComputedData(
  scene: Scene,
  extent: ComputedDataExtent,
): Promise<ComputedDataFigures> {
  await storeMatch(scene, FRAME_SECONDS);
  return { ...(await measureOne(scene, extent)), ...(await measureMany(scene, extent)) };
}

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

/** Computes one time frame repeatedly: elapsed time, and the processor time of all threads. */
async function measureOne(scene: Scene, { rounds }: ComputedDataExtent) {
  const { ids } = await activityWith(scene, 1);
  const [id = 0] = ids;
  await idle(scene);
  const elapsedMs: number[] = [];
  const processorMs: number[] = [];
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    await transact({ ...scene.ctx, jobsAdded: () => undefined }, "bench", async (change) => {
      await change.queries.execute(
        sql`UPDATE timeframes SET data_version = data_version + 1 WHERE id = ${id}`,
      );
    });
    const begin = performance.now();
    const before = process.cpuUsage();
    await computedDataOf(scene.ctx, id);
    const { user, system } = process.cpuUsage(before);
    if (round < WARM_UP_ROUNDS) continue;
    elapsedMs.push(performance.now() - begin);
    processorMs.push((user + system) / 1000);
  }
  return { elapsedMs: median(elapsedMs), processorMs: median(processorMs) };
}

async function waitingJobs({ ctx }: Scene): Promise<number> {
  const [row] = await ctx.queries
    .select({ waiting: count() })
    .from(jobs)
    .where(and(eq(jobs.kind, "compute"), inArray(jobs.state, ["PENDING", "STARTED", "RETRY"])));
  return row?.waiting ?? 0;
}

/** Waits until all computations are done. */
export async function idle(scene: Scene): Promise<void> {
  const deadline = performance.now() + IDLE_TIMEOUT_MS;
  while ((await waitingJobs(scene)) > 0) {
    if (performance.now() > deadline) throw new Error(`not computed in ${IDLE_TIMEOUT_MS} ms`);
    await sleep(100);
  }
}

/** Returns the response times of the API that another process measures while work is running, ms. */
async function underLoad(scene: Scene, urls: string[], until: () => Promise<void>): Promise<number[]> {
  const client = fork(
    fileURLToPath(new URL("./load.ts", import.meta.url)),
    [scene.token, String(REQUESTS_PER_SECOND), ...urls],
    { execArgv: ["--import", "tsx"] },
  );
  const died = once(client, "exit").then(([code]) => {
    throw new Error(`the client ended with ${code}`);
  });
  // The client also ends after its report, when nothing awaits this promise.
  died.catch(() => undefined);
  const reported = once(client, "message");
  await Promise.race([until(), died]);
  client.send("stop");
  const [durationsMs] = (await Promise.race([reported, died])) as [number[]];
  return durationsMs;
}

async function measureMany(scene: Scene, { frames, rounds, seconds }: ComputedDataExtent) {
  const { activity, ids } = await activityWith(scene, frames);
  const urls = [
    `${scene.url}/api/v1/timeframes/${ids[0]}/`,
    `${scene.url}/api/v1/devices/`,
    `${scene.url}/api/v1/activities/${activity}/`,
  ];
  await idle(scene);
  // Warm up.
  await underLoad(scene, urls, () => sleep(seconds * 200));
  const idleMs: number[] = [];
  const busyMs: number[] = [];
  let tookMs = 0;
  let times = 0;
  const turns = rounds < 10 ? 1 : 3;
  for (let turn = 0; turn < turns; turn++) {
    idleMs.push(...(await underLoad(scene, urls, () => sleep((seconds / turns) * 1000))));
    const busy = await underLoad(scene, urls, async () => {
      await sleep(1000);
      const begin = performance.now();
      do {
        await scene.patch(`/api/v1/activities/${activity}/`, { name: `bench ${times++}` });
        await idle(scene);
      } while (performance.now() - begin < (seconds / turns) * 1000);
      tookMs += performance.now() - begin;
    });
    busyMs.push(...busy);
  }
  return {
    allFramesMs: tookMs / times,
    idleP99Ms: quantile(idleMs, 0.99),
    busyP99Ms: quantile(busyMs, 0.99),
  };
}
