/*
 * Measures loads and pages with the samples in one database and on 1, 2 and 3 servers: `npm run bench:servers -w server
 * -- [samples]`. All servers run on this machine, so the figures show the cost of the additional hop to a server, not
 * the benefit of further machines. A device records sessions of two hours at 10 Hz; loads and pages run one after
 * another and eight at once.
 */
import { openDatabase } from "../src/store/connection/database.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { moveSamples } from "../src/store/sample-servers/move.js";
import {
  latestSamples,
  listRanges,
  readPage,
  type SampleColumns,
  sqlClientOf,
  storeSamples,
} from "../src/store/samples/index.js";
import { recordSession } from "../src/store/samples/testing/session.js";
import { type PostgresServer, startPostgres } from "../test/postgres.js";

const SESSION_SAMPLES = 72_000;
const DEVICES = 12;
const AT_ONCE = 8;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2024, 0, 1, 8);
const ROUNDS = 40;

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function inParallel(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < count; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function measure(count: number, samples: number): Promise<Record<string, number>> {
  const servers: PostgresServer[] = [];
  for (let i = 0; i <= count; i++) servers.push(await startPostgres({ durable: true }));
  const [coordinator, ...others] = servers as [PostgresServer, ...PostgresServer[]];
  const database = await openDatabase({ url: `${coordinator.url}postgres`, poolSize: AT_ONCE });
  try {
    await migrate(database);
    if (count > 0) {
      const client = await database.direct.connect();
      await moveSamples(
        client,
        others.map(({ url }) => serverAddress(`${url}postgres`)),
      );
      client.release(true);
    }
    const recorded = Array.from({ length: 4 }, (_, seed) => recordSession(FIRST_MS, SESSION_SAMPLES, seed));
    const sessions = Math.ceil(samples / SESSION_SAMPLES);
    const place = (i: number) => ({ device: 1 + (i % DEVICES), shiftMs: Math.floor(i / DEVICES) * DAY_MS });
    const load = async (i: number) => {
      const { device, shiftMs } = place(i);
      const { timestampMs, ...columns } = recorded[i % recorded.length] as SampleColumns;
      const session = { ...columns, timestampMs: timestampMs.map((ms) => ms + shiftMs) };
      await database.queries.transaction((tx) => storeSamples(sqlClientOf(tx), device, [session]));
    };
    const alone = sessions >> 1;
    const loads: number[] = [];
    for (let i = 0; i < alone; i++) loads.push(await timed(() => load(i)));
    const together = await timed(() => inParallel(sessions - alone, (i) => load(alone + i)));
    await database.pool.query("ANALYZE sample_chunks");
    const client = sqlClientOf(database.queries);
    const day = (i: number) => [
      { startMs: FIRST_MS + 61_234 + place(i).shiftMs, stopMs: FIRST_MS + place(i).shiftMs + DAY_MS },
    ];
    const page = (i: number) => readPage(client, place(i).device, day(i), 0, 25_000);
    const each = async (work: (i: number) => Promise<unknown>) => {
      for (let i = 0; i < ROUNDS; i++) await work(i % sessions);
      const times: number[] = [];
      for (let i = 0; i < ROUNDS; i++) times.push(await timed(() => work(i % sessions)));
      return median(times);
    };
    const { rows } = await database.pool.query(
      "SELECT sum(octet_length(payload))::float8 / count(*) AS payload, count(*)::float8 AS chunks FROM sample_chunks",
    );
    const chunks = rows[0].chunks as number;
    const result = {
      servers: count,
      samples: sessions * SESSION_SAMPLES,
      chunks,
      payloadBytesPerChunk: rows[0].payload as number,
      loadMs: median(loads),
      loadsPerSecondAtOnce: ((sessions - alone) / together) * 1000,
      pageMs: await each(page),
      pagesPerSecondAtOnce:
        (4 * ROUNDS * 1000) / (await timed(() => inParallel(4 * ROUNDS, (i) => page(i % sessions)))),
      rangesMs: await each((i) => listRanges(client, place(i).device, day(i))),
      latestMs: await each((i) => latestSamples(client, place(i).device, FIRST_MS, 300)),
    };
    if (count > 0) return result;
    const size = await database.pool.query("SELECT pg_total_relation_size('sample_chunks')::float8 AS bytes");
    return { ...result, bytesPerChunkOnDisk: size.rows[0].bytes / chunks };
  } finally {
    await database.close();
    for (const server of servers) await server.stop();
  }
}

const samples = Number(process.argv[2] ?? 2_000_000);
for (const count of [0, 1, 2, 3]) {
  const figures = Object.entries(await measure(count, samples));
  console.log(
    JSON.stringify(Object.fromEntries(figures.map(([name, value]) => [name, Math.round(value * 100) / 100]))),
  );
}
