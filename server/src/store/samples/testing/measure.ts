import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  latestSamples,
  listRanges,
  readPage,
  type SampleColumns,
  sliceColumns,
  storeSamples,
} from "../index.js";
import { openPglite, openPostgres, type SampleDatabase } from "./databases.js";
import { recordSession, SESSION_PERIOD_MS } from "./session.js";

/*
 * Measures the sample store: `npx tsx measure.ts [pglite|postgres] [samples...]`. One device records two hours a day;
 * another one, used for ranges only, records 14 days without a break at 1 Hz. All figures are medians, after the same number
 * of warm-up rounds.
 */

const DEVICE = 1;
const RESTLESS_DEVICE = 2;
const SESSION_SAMPLES = 72_000;
const BATCH_SAMPLES = 2_500;
const DAY_MS = 86_400_000;
const FIRST_SESSION_MS = Date.UTC(2024, 0, 1, 8);
const DISTINCT_SESSIONS = 8;

async function main(): Promise<void> {
  const [kind = "pglite", ...sizes] = process.argv.slice(2);
  const folder = join(tmpdir(), `samples-measure-${process.pid}`);
  const db = kind === "postgres" ? await openPostgres(true) : await openPglite(folder);
  try {
    await measure(db, kind, sizes.length > 0 ? sizes.map(Number) : [2_000_000, 20_000_000]);
  } finally {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(db: SampleDatabase, kind: string, sizes: number[]): Promise<void> {
  const recorded = Array.from({ length: DISTINCT_SESSIONS }, (_, seed) =>
    recordSession(FIRST_SESSION_MS, SESSION_SAMPLES, seed),
  );
  for (let day = 0; day < 14; day++) {
    const startMs = FIRST_SESSION_MS + day * DAY_MS;
    const restless = recordSession(startMs, DAY_MS / 1000, day);
    restless.timestampMs = restless.timestampMs.map((_, i) => startMs + i * 1000);
    await db.transaction((tx) => storeSamples(tx, RESTLESS_DEVICE, inBatches(restless)));
  }
  const restlessDays = [{ startMs: FIRST_SESSION_MS + 1, stopMs: FIRST_SESSION_MS + 14 * DAY_MS - 1 }];
  const restlessSamples = (14 * DAY_MS) / 1000;

  let sessions = 0;
  for (const size of sizes) {
    const loads: number[] = [];
    while (sessions * SESSION_SAMPLES < size) {
      const shiftMs = sessions * DAY_MS;
      const session = shift(recorded[sessions % DISTINCT_SESSIONS], shiftMs);
      loads.push(await timed(() => db.transaction((tx) => storeSamples(tx, DEVICE, inBatches(session)))));
      sessions++;
    }
    const again = shift(recorded[(sessions - 1) % DISTINCT_SESSIONS], (sessions - 1) * DAY_MS);
    const reload = await median(5, () => db.transaction((tx) => storeSamples(tx, DEVICE, inBatches(again))));
    await db.client.query("ANALYZE sample_chunks");

    const lastStart = FIRST_SESSION_MS + (sessions - 1) * DAY_MS;
    const middle = lastStart + 500_000 * SESSION_PERIOD_MS;
    const twoDays = [{ startMs: lastStart - DAY_MS + 61_234, stopMs: lastStart + DAY_MS - 1 }];
    const fourteenDays = [{ startMs: middle - 14 * DAY_MS, stopMs: middle }];
    const { rows } = await db.client.query<{ total: string }>(
      "SELECT pg_total_relation_size('sample_chunks') AS total",
    );
    const stored = sessions * SESSION_SAMPLES + restlessSamples;
    console.log({
      database: kind,
      samples: stored,
      bytesPerSampleOnDisk: round(Number(rows[0]?.total) / stored),
      ingestSamplesPerS: Math.round((SESSION_SAMPLES / medianOf(loads)) * 1000),
      sameFileAgainMs: round(reload),
      firstPageOf25000Ms: round(await median(31, () => readPage(db.client, DEVICE, twoDays, 0, 25_000))),
      lastPageMs: round(await median(31, () => readPage(db.client, DEVICE, twoDays, 125_000, 25_000))),
      rangesOver14DaysMs: round(await median(31, () => listRanges(db.client, DEVICE, fourteenDays))),
      rangesOver4032BucketsMs: round(
        await median(31, () => listRanges(db.client, RESTLESS_DEVICE, restlessDays)),
      ),
      latest300Ms: round(await median(31, () => latestSamples(db.client, DEVICE, FIRST_SESSION_MS + 5, 300))),
    });
  }
}

function shift(session: SampleColumns | undefined, byMs: number): SampleColumns {
  if (session === undefined) throw new RangeError("no such session");
  return { ...session, timestampMs: session.timestampMs.map((ms) => ms + byMs) };
}

function* inBatches(session: SampleColumns): Generator<SampleColumns> {
  for (let from = 0; from < session.length; from += BATCH_SAMPLES)
    yield sliceColumns(session, from, Math.min(session.length, from + BATCH_SAMPLES));
}

async function median(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) await work();
  for (let round = 0; round < rounds; round++) times.push(await timed(work));
  return medianOf(times);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function medianOf(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

await main();
