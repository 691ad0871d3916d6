import fc from "fast-check";
import { expect, it } from "vitest";
import { BUCKET_MS } from "./bucket.js";
import {
  type Interval,
  latestSamples,
  latestTimestamp,
  listRanges,
  listRangesOf,
  type SampleRange,
  streamSamples,
} from "./index.js";
import { DEVICE, onEachDatabase } from "./testing/on-each-database.js";
import { type Sample, samplesOf } from "./testing/samples.js";

const OTHER_DEVICE = DEVICE + 1;

onEachDatabase("the sample store", (on) => {
  it("samples behave like a map from milliseconds to rows for any loads and queries, regardless of how these are split", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(sample, { maxLength: 25 }), { minLength: 1, maxLength: 4 }),
        fc.array(interval, { maxLength: 4 }),
        fc.nat(20),
        fc.integer({ min: 1, max: 20 }),
        async (loads, intervals, offset, limit) => {
          await on.db.clear();
          const model = new Map<number, Sample>();
          for (const load of loads) expect(await on.store(load)).toMatchObject(addToModel(model, load));

          const wanted = [...model.values()]
            .filter(({ ms }) => intervals.some(({ startMs, stopMs }) => startMs <= ms && ms <= stopMs))
            .sort((a, b) => a.ms - b.ms);
          expect(await on.page(intervals, offset, limit)).toEqual({
            count: wanted.length,
            samples: wanted.slice(offset, offset + limit),
          });
          expect(await listRanges(on.db.client, DEVICE, intervals)).toEqual(rangesOf(wanted));
          const [first = []] = loads;
          await on.store(first, OTHER_DEVICE);
          const before = [{ startMs: Number.NEGATIVE_INFINITY, stopMs: limit * 100_000 }];
          const devices = [
            { deviceId: OTHER_DEVICE, intervals: before },
            { deviceId: DEVICE, intervals },
            { deviceId: DEVICE + 2, intervals },
          ];
          expect(await listRangesOf(on.db.client, devices)).toEqual(
            new Map([
              [OTHER_DEVICE, await listRanges(on.db.client, OTHER_DEVICE, before)],
              [DEVICE, rangesOf(wanted)],
              [DEVICE + 2, []],
            ]),
          );
          const streamed: Sample[] = [];
          for await (const batch of streamSamples(on.db.client, DEVICE, intervals))
            streamed.push(...samplesOf(batch));
          expect(streamed).toEqual(wanted);

          const fromMs = intervals[0]?.startMs ?? 0;
          const newest = [...model.values()].filter(({ ms }) => ms >= fromMs).sort((a, b) => b.ms - a.ms);
          expect(samplesOf(await latestSamples(on.db.client, DEVICE, fromMs, limit))).toEqual(
            newest.slice(0, limit),
          );
          expect(await latestTimestamp(on.db.client, DEVICE, fromMs)).toBe(newest[0]?.ms ?? null);

          await on.db.clear();
          const atOnce = await on.store(loads.flat());
          expect(atOnce).toMatchObject(addToModel(new Map(), loads.flat()));
          expect(await on.everything()).toEqual([...model.values()].sort((a, b) => a.ms - b.ms));
        },
      ),
      { numRuns: 80 },
    );
  });
});

/** Times that coincide, cluster in buckets, are at their edges, and are before and after 1970. */
const time = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc
    .integer({ min: -4, max: 4 })
    .chain((bucket) => fc.integer({ min: -2, max: 2 }).map((offset) => bucket * BUCKET_MS + offset)),
  fc.integer({ min: -4 * BUCKET_MS, max: 4 * BUCKET_MS }),
);

const sample = fc.record<Sample>({
  ms: time,
  latitude: fc.integer({ min: -900_000_000, max: 900_000_000 }),
  longitude: fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }),
  altitude: fc.option(fc.integer({ min: -500_000, max: 9_000_000 })),
  speed: fc.nat(100_000),
  hr: fc.option(fc.integer({ min: 1, max: 255 })),
});

const interval = fc
  .tuple(time, time)
  .map(([a, b]): Interval => ({ startMs: Math.min(a, b), stopMs: Math.max(a, b) }));

/** Adds rows to the reference model, which applies the rule for merging row by row. */
function addToModel(model: Map<number, Sample>, rows: readonly Sample[]) {
  const counts = { stored: 0, known: 0, hrFilled: 0 };
  for (const row of rows) {
    const present = model.get(row.ms);
    if (present === undefined) {
      model.set(row.ms, { ...row });
      counts.stored++;
      continue;
    }
    counts.known++;
    if (present.hr === null && row.hr !== null) {
      present.hr = row.hr;
      counts.hrFilled++;
    }
  }
  return counts;
}

/** Returns the ranges of the reference model: gaps of at most 5 minutes. */
function rangesOf(ascending: readonly Sample[]): SampleRange[] {
  const ranges: SampleRange[] = [];
  let previous = Number.NEGATIVE_INFINITY;
  for (const { ms } of ascending) {
    const range = ranges.at(-1);
    if (range === undefined || ms - previous > 300_000) ranges.push({ start: ms, stop: ms, size: 1 });
    else {
      range.stop = ms;
      range.size++;
    }
    previous = ms;
  }
  return ranges;
}
