import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUCKET_MS, bucketOf } from "./bucket.js";
import { allocateColumns, concatColumns, type SampleColumns } from "./columns.js";
import { divide, isOnePart, type Part, RewriteLimit, SamplesByBucket } from "./index.js";
import type { SqlClient } from "./sql-client.js";

const FULL = 30_000;

/** Creates samples; the speed is the place in the list. */
function samplesAt(times: readonly number[]): SampleColumns {
  const columns = allocateColumns(times.length);
  columns.timestampMs.set(times);
  for (const i of times.keys()) columns.speedMmPerS[i] = i;
  columns.fixType.fill(3);
  return columns;
}

const batchesOf = (all: SampleColumns, ends: readonly number[]) =>
  [0, ...ends].map((from, i): SampleColumns => {
    const to = ends[i] ?? all.length;
    return {
      ...samplesAt([]),
      length: to - from,
      timestampMs: all.timestampMs.slice(from, to),
      speedMmPerS: all.speedMmPerS.slice(from, to),
    };
  });

/** Divides samples with this number of stored samples in each of their buckets. */
async function divided(times: readonly number[], storedInEach: number, limit = new RewriteLimit()) {
  const client: SqlClient = {
    query: async <Row>(_: string, params: unknown[] = []) => ({
      rows: (params[1] as number[]).map((bucket) => ({ bucket, n: storedInEach })) as Row[],
    }),
  };
  const samples = await SamplesByBucket.of([samplesAt(times)]);
  return { samples, ...(await divide(client, 1, samples, limit)) };
}

const oneInEach = (buckets: number) => Array.from({ length: buckets }, (_, bucket) => bucket * BUCKET_MS);

/** Samples of a recording. */
const every = (periodMs: number, count: number) => Array.from({ length: count }, (_, i) => i * periodMs);

const HOUR_MS = 3_600_000;
const DAYS_AT_25_HZ = every(40, (48 * HOUR_MS) / 40);

describe("samples by bucket", () => {
  it("are complete, in the order of their buckets, and in their own order within a bucket", async () => {
    const times = fc.array(fc.integer({ min: -3 * BUCKET_MS, max: 3 * BUCKET_MS }), { maxLength: 60 });
    const ends = fc.array(fc.nat(60), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(times, ends, async (wanted, wantedEnds) => {
        const cuts = wantedEnds.map((end) => Math.min(end, wanted.length)).sort((a, b) => a - b);
        const samples = await SamplesByBucket.of(batchesOf(samplesAt(wanted), cuts));
        const copied = samples.buckets.map((_, place) =>
          samples.copy(samples.startOf(place), samples.startOf(place + 1)),
        );
        for (const [place, { timestampMs }] of copied.entries())
          expect(new Set([...timestampMs].map(bucketOf))).toEqual(new Set([samples.buckets[place]]));
        const expected = [...wanted.keys()].sort(
          (a, b) => bucketOf(wanted[a] ?? 0) - bucketOf(wanted[b] ?? 0) || a - b,
        );
        const all = concatColumns(copied);
        expect([...all.speedMmPerS]).toEqual(expected);
        expect([...all.timestampMs]).toEqual(expected.map((i) => wanted[i]));
        expect(samples.copy(0, wanted.length)).toEqual(all);
      }),
    );
  });
});

describe("the parts of a load", () => {
  const bucketsOf = (samples: SamplesByBucket, { from, to }: Part) =>
    new Set([...samples.copy(from, to).timestampMs].map(bucketOf));

  it("follow one another, and rewrite at most 100,000 samples and 64 chunks, each chunk once", async () => {
    for (const [times, storedInEach] of [
      [oneInEach(16), FULL - 1],
      [oneInEach(5_000), 0],
      [DAYS_AT_25_HZ.slice(0, 400_000), 7_500],
    ] as const) {
      const { samples, parts } = await divided(times, storedInEach);
      expect([0, ...parts.map(({ to }) => to)]).toEqual([...parts.map(({ from }) => from), times.length]);
      const buckets = parts.map((part) => bucketsOf(samples, part));
      expect(buckets.flatMap((of) => [...of])).toEqual(samples.buckets);
      for (const [i, { from, to }] of parts.entries()) {
        const chunks = buckets[i]?.size ?? 0;
        expect(to - from + chunks * storedInEach).toBeLessThanOrEqual(100_000);
        expect(chunks).toBeLessThanOrEqual(64);
      }
    }
  });

  it("divide a bucket only if its samples are more than fit into one part", async () => {
    const repeated = Array.from({ length: 150_000 }, (_, i) => i % 20_000);
    const { parts } = await divided([...repeated, ...oneInEach(2)], 20_000);
    expect(parts.map(({ from, to }) => to - from)).toEqual([70_000, 70_000, 10_002]);
  });

  it("are a single one for two hours at 10 Hz", async () => {
    expect((await divided(every(100, 72_000), 0)).parts).toHaveLength(1);
  });

  it("accept a recording of 48 h at 25 Hz that is loaded a second time, also in a different order", async () => {
    const halves = [...DAYS_AT_25_HZ.filter((_, i) => i % 2 === 0), ...DAYS_AT_25_HZ.filter((_, i) => i % 2)];
    for (const times of [DAYS_AT_25_HZ, halves])
      expect((await divided(times, 7_500)).parts.length).toBeGreaterThan(80);
  });

  it("refuse samples that would rewrite many stored ones for their number", async () => {
    expect((await divided(oneInEach(16), FULL - 1)).parts).toHaveLength(6);
    await expect(divided(oneInEach(17), FULL - 1)).rejects.toMatchObject({
      code: "TOO_SCATTERED",
      message: expect.stringContaining("510000 samples"),
    });
    // More samples may rewrite more.
    const several = oneInEach(17).flatMap((ms) => every(10, 26).map((offset) => ms + offset));
    expect((await divided(several, FULL - 1)).parts).toHaveLength(6);
    const many = oneInEach(334).flatMap((ms) => every(10, 2_000).map((offset) => ms + offset));
    await expect(divided(many, FULL)).rejects.toMatchObject({ code: "TOO_SCATTERED" });
  });

  it("of all pieces of a recording together rewrite at most the number of one recording", async () => {
    const limit = new RewriteLimit();
    expect((await divided(oneInEach(8), FULL - 1, limit)).parts).toHaveLength(3);
    expect((await divided(oneInEach(8), FULL - 1, limit)).parts).toHaveLength(3);
    await expect(divided(oneInEach(1), FULL - 1, limit)).rejects.toMatchObject({
      message: expect.stringContaining("510000 samples"),
    });
  });

  it("of a continued recording rewrite few samples for their number", async () => {
    const sparse = oneInEach(4);
    const dense = sparse.flatMap((ms) => every(10, 1_250).map((offset) => ms + offset));
    const limit = () => new RewriteLimit(true);
    expect((await divided(dense, FULL, limit())).parts).toHaveLength(2);
    await expect(divided(sparse, FULL, limit())).rejects.toMatchObject({ code: "TOO_SCATTERED" });
  });

  it("know whether limits on the stored samples could be exceeded", async () => {
    expect(await divided(oneInEach(3), FULL - 1)).toMatchObject({ mostRoom: 3, mayBeDense: false });
    expect(await divided(oneInEach(3), FULL)).toMatchObject({ mostRoom: 3, mayBeDense: true });
    // A chunk counts as at least 50 samples.
    expect(await divided(oneInEach(3), 0)).toMatchObject({ mostRoom: 150, mayBeDense: false });
  });
});

describe("a single part", () => {
  it("is enough for samples that rewrite few others, whatever is stored", () => {
    expect(isOnePart([])).toBe(true);
    expect(isOnePart([samplesAt(oneInEach(2)), samplesAt(oneInEach(3))])).toBe(true);
    expect(isOnePart([samplesAt(oneInEach(4))])).toBe(false);
    expect(isOnePart([samplesAt(every(1, 70_000))])).toBe(true);
    expect(isOnePart([samplesAt(every(1, 70_001))])).toBe(false);
  });
});
