import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  convert,
  decode,
  decodeSync,
  findRanges,
  inspect,
  inspectSync,
  type SampleBatch,
} from "../src/index.js";
import { joinBatches, rowsBetween } from "../src/rows/sample-batch.js";
import { pieces } from "./drive.js";
import { ENGINES } from "./every-engine.js";
import { asiInf, civilTime, ecgHr, joined, navPvt } from "./frames.js";
import { expectSame } from "./same.js";
import { all, thrown, wholeText } from "./whole.js";

const START_MS = Date.UTC(2025, 4, 17, 14, 30);

/** A recording with rows at these times, in ms after 14:30. */
function recordingOf(times: readonly number[]): Uint8Array {
  return joined([asiInf(), ...times.map((ms) => navPvt(civilTime(START_MS + ms)))]);
}

function keptOf(times: readonly number[], everyMs = 1000): number[] {
  const { timestampMs } = decodeSync(recordingOf(times), { everyMs }).samples;
  return Array.from(timestampMs, (ms) => ms - START_MS);
}

describe("everyMs keeps in each range", () => {
  it("the row nearest to each multiple, with its own time", () => {
    expect(keptOf([0, 100, 900, 1000, 1100])).toEqual([0, 1000]);
    expect(keptOf([40, 140, 940, 1040])).toEqual([40, 1040]);
    expect(keptOf([60, 160, 860, 960, 1060])).toEqual([60, 960]);
  });

  it("the first of equally near rows; a row half-way belongs to the later multiple", () => {
    expect(keptOf([900, 1100])).toEqual([900]);
    expect(keptOf([0, 500])).toEqual([0, 500]);
    expect(keptOf([499, 500])).toEqual([499, 500]);
    expect(keptOf([500, 501])).toEqual([501]);
  });

  it("no row in gaps", () => {
    expect(keptOf([0, 100, 3700, 3800, 3900])).toEqual([0, 3900]);
    expect(keptOf([250], 60_000)).toEqual([250]);
  });

  it("at least one row, even in ranges that share a multiple", () => {
    expect(keptOf([0, 10, 400_000, 400_010], 3_600_000)).toEqual([10, 400_010]);
  });

  it("at most one row for each multiple, the row of the first pass in the order of the recording if times run backwards", () => {
    expect(keptOf([0, 1000, 2000, 1000, 900, 2000, 3000])).toEqual([0, 1000, 2000, 3000]);
    expect(keptOf([5000, 6000, 7000, 1000, 2000, 5000, 6000])).toEqual([5000, 6000, 7000, 1000, 2000]);
    // the row for 1000 is still searched for when time goes back to 0
    expect(keptOf([0, 900, 100, 990, 2000])).toEqual([0, 990, 2000]);
    // another range
    expect(keptOf([0, 1000, 400_000, 0, 1000])).toEqual([0, 1000, 400_000, 0, 1000]);
  });
});

describe("everyMs", () => {
  it("keeps the rows of its definition, in chunks of any size, with every engine", async () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 1500 }) },
      { weight: 1, arbitrary: fc.constantFrom(299_999, 300_000, 300_001, -1, -700, -300_001) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 80 }),
        fc.constantFrom(1, 100, 999, 1000, 7000, 400_000),
        fc.constantFrom(...ENGINES),
        fc.integer({ min: 1, max: 3000 }),
        async (steps, everyMs, engine, size) => {
          let ms = 1_000_000;
          const times = steps.map((by) => {
            ms += by;
            return ms;
          });
          const bytes = recordingOf(times);
          const batches = await all(decode(pieces(bytes, size), { everyMs, engine }));
          const kept = Array.from(joinBatches(batches).timestampMs, (at) => at - START_MS);
          expect(kept).toEqual(expectedOf(times, everyMs));
          const info = await inspect(bytes, { everyMs, engine });
          expect(info.rowsProduced).toBe(kept.length);
          expect(info.report.rows.total).toBe(times.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keeps all columns of a row", () => {
    const bytes = joined([
      asiInf(),
      navPvt({
        ...civilTime(START_MS),
        latitudeE7: 1,
        longitudeE7: 2,
        altitudeMm: 3,
        speedMmPerS: 4,
        fixType: 2,
      }),
      navPvt({ ...civilTime(START_MS + 400), latitudeE7: 9 }),
    ]);
    const { samples } = decodeSync(bytes, { everyMs: 1000 });
    const whole = decodeSync(bytes).samples;
    expectSame(samples, firstRow(whole), "row");
  });

  it("repeats heart rates up to 2 s old by default, because few rows have one", () => {
    const reading = ecgHr({ timeMs: START_MS + 100, beatsPerMinute: 90 });
    const rows = [0, 100, 1000, 2000, 3000].map((ms) => navPvt(civilTime(START_MS + ms)));
    const bytes = joined([asiInf(), reading, ...rows]);
    const hrOf = (options: { fillHrMs?: number }) => [
      ...decodeSync(bytes, { everyMs: 1000, ...options }).samples.hr,
    ];
    expect(hrOf({})).toEqual([0, 90, 90, 0]);
    expect(hrOf({ fillHrMs: 0 })).toEqual([0, 0, 0, 0]);
  });

  it("names the file after the written rows", async () => {
    const bytes = recordingOf([600, 700, 900, 1000, 1400]);
    const conversion = convert(bytes, { everyMs: 1000, serial: "A-1" });
    const lines = (await wholeText(conversion.body)).split("\n");
    expect(lines.map((line) => line.split(",")[0])).toEqual(["timestamp", "1747492201.000", ""]);
    expect(await conversion.fileName).toBe("A-1_20250517T143001_20250517T143001.csv");
    expect(inspectSync(bytes, { everyMs: 1000, serial: "A-1" }).fileName).toBe(await conversion.fileName);
  });

  it("is a whole number of milliseconds, 1 or more", () => {
    for (const everyMs of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1s", null]) {
      expect(thrown(() => decodeSync(recordingOf([0]), { everyMs: everyMs as number }))).toMatchObject({
        code: "BAD_OPTION",
        message: expect.stringMatching(/everyMs is .*; it must be a whole number of milliseconds, 1 or more/),
      });
    }
  });
});

/** The definition, implemented row by row. */
function expectedOf(times: readonly number[], everyMs: number): number[] {
  let next = 0;
  return findRanges(times).flatMap(({ size }) => {
    const range = times.slice(next, next + size).map((ms) => ms + START_MS);
    next += size;
    const groups: { multiple: number; rows: number[] }[] = [];
    for (const ms of range) {
      const multiple = Math.floor((2 * ms + everyMs) / (2 * everyMs));
      const group = groups.at(-1);
      if (group?.multiple === multiple) group.rows.push(ms);
      else if (!groups.some((earlier) => earlier.multiple === multiple))
        groups.push({ multiple, rows: [ms] });
    }
    return groups.map(({ multiple, rows }) => {
      const distances = rows.map((ms) => Math.abs(ms - multiple * everyMs));
      return (rows[distances.indexOf(Math.min(...distances))] ?? 0) - START_MS;
    });
  });
}

function firstRow(batch: SampleBatch): SampleBatch {
  return joinBatches([rowsBetween(batch, 0, 1)]);
}
