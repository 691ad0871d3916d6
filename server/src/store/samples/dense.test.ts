import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { BUCKET_MS } from "./bucket.js";
import { allocateColumns, concatColumns, type SampleColumns } from "./columns.js";
import { storeSamples, streamSamples, tryStoring } from "./index.js";
import type { SqlClient } from "./sql-client.js";
import { DEVICE, EVER, onEachDatabase } from "./testing/on-each-database.js";

const FULL = 30_000;
const MOST_OF_BATCH = 96_000;

/** Creates samples from `startMs`. */
function samplesFrom(startMs: number, count: number, periodMs = 10): SampleColumns {
  const columns = allocateColumns(count);
  for (let i = 0; i < count; i++) columns.timestampMs[i] = startMs + i * periodMs;
  columns.fixType.fill(3);
  return columns;
}

onEachDatabase("dense samples", (on) => {
  const load = (...parts: SampleColumns[]) => on.db.transaction((tx) => storeSamples(tx, DEVICE, parts));

  const countOf = async () => {
    const { rows } = await on.db.client.query<{ n: string }>(
      "SELECT coalesce(sum(n), 0)::text AS n FROM sample_chunks",
    );
    return Number(rows[0]?.n);
  };

  it("are refused if a load would store more than 30,000 in five minutes, and nothing of it is stored", async () => {
    const tooDense = { code: "TOO_DENSE", bucket: 1 };
    await expect(load(samplesFrom(0, 10), samplesFrom(BUCKET_MS, FULL + 1, 1))).rejects.toMatchObject(
      tooDense,
    );
    expect(await countOf()).toBe(0);
    const full = samplesFrom(BUCKET_MS, FULL);
    expect(await load(full)).toMatchObject({ stored: FULL });
    expect(await load(full)).toMatchObject({ stored: 0, known: FULL });
    await expect(load(samplesFrom(BUCKET_MS + 1, 1), samplesFrom(0, 10))).rejects.toMatchObject(tooDense);
    expect(await countOf()).toBe(FULL);
  });

  it("are refused in the same way before they are stored, also if a window sorts only a part of their chunk", async () => {
    const half = samplesFrom(0, FULL / 2);
    const repeated = Array.from({ length: 10 }, () => half);
    const other = samplesFrom(1, FULL / 2);
    const attempt = (...parts: SampleColumns[]) => tryStoring(on.db.client, DEVICE, parts);
    expect(await attempt(...repeated, other)).toMatchObject({ stored: FULL, room: FULL });
    const one = samplesFrom(2, 1);
    await expect(attempt(...repeated, other, one)).rejects.toMatchObject({ code: "TOO_DENSE" });
    await load(half);
    expect(await attempt(...repeated, other)).toMatchObject({ stored: FULL / 2, room: FULL / 2 });
    expect(await countOf()).toBe(FULL / 2);
  });

  /** Streams everything and records the number of samples that each statement reads. */
  async function stream() {
    const read: number[] = [];
    const turnsAtRead: number[] = [];
    let turns = 0;
    let ended = false;
    const counting = (async () => {
      for (; !ended; turns++) await nextTurn();
    })();
    const client: SqlClient = {
      async query<Row>(text: string, params?: unknown[]) {
        const result = await on.db.client.query<Row>(text, params);
        read.push((result.rows as { n: number }[]).reduce((sum, { n }) => sum + n, 0));
        turnsAtRead.push(turns);
        return result;
      },
    };
    const batches: { columns: SampleColumns; turns: number }[] = [];
    for await (const batch of streamSamples(client, DEVICE, EVER)) {
      batches.push({ columns: concatColumns([batch]), turns: turns - (turnsAtRead.at(-1) ?? 0) });
    }
    ended = true;
    await counting;
    return { read, batches };
  }

  it("are read in batches of at most 96,000, all of them in order, whatever the sizes of their chunks", async () => {
    const size = fc.oneof(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: FULL }),
      fc.constant(FULL),
    );
    const chunks = fc.array(fc.record({ size, gap: fc.integer({ min: 0, max: 2 }) }), { maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(chunks, async (wanted) => {
        await on.db.clear();
        let bucket = 0;
        const parts = wanted.map(({ size, gap }) => {
          bucket += 1 + gap;
          return samplesFrom(bucket * BUCKET_MS, size);
        });
        await load(...parts);
        const { read, batches } = await stream();
        expect(Math.max(0, ...read)).toBeLessThanOrEqual(MOST_OF_BATCH);
        const all = concatColumns(batches.map(({ columns }) => columns));
        expect(all.timestampMs).toEqual(concatColumns(parts).timestampMs);
      }),
      { numRuns: 8 },
    );
  });

  it("are decoded with a turn of the event loop before each chunk if decoding takes long", async () => {
    await load(...[0, 1, 2].map((bucket) => samplesFrom(bucket * BUCKET_MS, FULL)));
    // Every look at the clock finds that the longest time without a pause is over.
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      nowMs += 1000;
      return nowMs;
    });
    onTestFinished(() => clock.mockRestore());
    const { batches } = await stream();
    expect(batches.map(({ columns }) => columns.length)).toEqual([3 * FULL]);
    expect(batches[0]?.turns).toBeGreaterThanOrEqual(3);
  });
});
