import fc from "fast-check";
import FitParser from "fit-file-parser";
import { describe, expect, it } from "vitest";
import { FitWriter } from "../src/formats/fit/fit-writer.js";
import { openFit } from "../src/formats/fit.js";
import { findRanges, type Report, type SampleBatch } from "../src/index.js";
import { PlainRowWriter } from "../src/rows/row-text/plain-row-writer.js";
import { joined } from "./frames.js";
import { expectSame } from "./same.js";
import { batchOf, type Sample, trackOf } from "./sample-batches.js";
import { thrown } from "./whole.js";

const START_MS = Date.UTC(2024, 4, 11, 9, 30);

function sampleAt(timestampMs: number, fields: Partial<Sample> = {}): Sample {
  return {
    timestampMs,
    latitudeE7: 469_629_000,
    longitudeE7: 74_648_000,
    altitudeMm: 551_200,
    speedMmPerS: 2000,
    hr: 0,
    fixType: 3,
    ...fields,
  };
}

/** The file of these batches, in the pieces of the writer. */
function fitPieces(batches: readonly SampleBatch[]): Uint8Array[] {
  const instants = batches.flatMap((batch) => [...batch.timestampMs]);
  const ranges = findRanges(instants);
  const starts = new Set<number>();
  let start = 0;
  for (const range of ranges) {
    starts.add(start);
    start += range.size;
  }
  const writer = new FitWriter({ rows: instants.length, ranges: ranges.length }, "Tracker");
  const pieces: Uint8Array[] = [];
  let row = 0;
  for (const batch of batches) {
    let from = 0;
    for (let at = 0; at < batch.length; at++, row++) {
      if (!starts.has(row)) continue;
      pieces.push(writer.rows(batch, from, at));
      writer.startRange();
      from = at;
    }
    pieces.push(writer.rows(batch, from, batch.length));
  }
  return [...pieces, writer.end()];
}

function fitOf(...batches: SampleBatch[]): Uint8Array {
  return joined(fitPieces(batches));
}

/** The content according to an independent reader, which verifies both checksums. */
function parsed(file: Uint8Array) {
  return new FitParser({ mode: "list", force: false }).parseAsync(new Uint8Array(file).buffer);
}

/** The time of a record, with the milliseconds from our developer field. */
function instantOf(record: { timestamp?: unknown; timestamp_ms?: unknown }): number {
  return ms(record.timestamp) + Number(record.timestamp_ms);
}

function ms(date: unknown): number {
  return new Date(date as string).getTime();
}

it("a FIT file has no speed for a row with a negative speed", async () => {
  const file = await parsed(fitOf(batchOf([sampleAt(START_MS, { speedMmPerS: -20 })])));
  expect(file.records?.[0]).not.toHaveProperty("enhanced_speed");
});

describe("an independent reader finds the written values in a FIT file", () => {
  it("each value of each row", async () => {
    const rows = [
      sampleAt(START_MS, { hr: 92 }),
      sampleAt(START_MS + 101, {
        latitudeE7: -900_000_000,
        longitudeE7: -1_800_000_000,
        speedMmPerS: 70_000,
      }),
      sampleAt(START_MS + 999, { fixType: 2, altitudeMm: 1, hr: 1 }),
      sampleAt(START_MS + 1000, {
        latitudeE7: 900_000_000,
        longitudeE7: 1_799_999_990,
        altitudeMm: -499_800,
        hr: 254,
      }),
    ];
    const { records = [] } = await parsed(fitOf(batchOf(rows)));
    expect(
      records.map((record) => ({
        timestampMs: instantOf(record),
        latitudeE7: Math.round(Number(record.position_lat) * 1e7),
        longitudeE7: Math.round(Number(record.position_long) * 1e7),
        altitude: record.enhanced_altitude ?? null,
        speed: record.enhanced_speed,
        hr: record.heart_rate ?? null,
      })),
    ).toEqual([
      {
        timestampMs: START_MS,
        latitudeE7: 469_629_000,
        longitudeE7: 74_648_000,
        altitude: 551.2,
        speed: 2,
        hr: 92,
      },
      {
        timestampMs: START_MS + 101,
        latitudeE7: -900_000_000,
        longitudeE7: -1_800_000_000,
        altitude: 551.2,
        speed: 70,
        hr: null,
      },
      {
        timestampMs: START_MS + 999,
        latitudeE7: 469_629_000,
        longitudeE7: 74_648_000,
        altitude: null,
        speed: 2,
        hr: 1,
      },
      {
        timestampMs: START_MS + 1000,
        latitudeE7: 900_000_000,
        longitudeE7: 1_799_999_990,
        altitude: -499.8,
        speed: 2,
        hr: 254,
      },
    ]);
  });

  it("an activity: creator, timer events, a lap for each range, a session", async () => {
    const rows = [
      ...Array.from({ length: 11 }, (_, i) => sampleAt(START_MS + 100 * i, { hr: i === 5 ? 120 : 100 })),
      ...Array.from({ length: 21 }, (_, i) => sampleAt(START_MS + 400_000 + 100 * i, { speedMmPerS: 3000 })),
    ];
    const file = await parsed(fitOf(batchOf(rows)));
    expect(file.file_ids).toMatchObject([
      { type: "activity", manufacturer: "development", product_name: "Tracker" },
    ]);
    expect(
      file.events?.map(({ event, event_type, timestamp }) => [event, event_type, ms(timestamp) - START_MS]),
    ).toEqual([
      ["timer", "start", 0],
      ["timer", "stop_all", 1000],
      ["timer", "start", 400_000],
      ["timer", "stop_all", 402_000],
    ]);
    expect(file.laps).toMatchObject([
      {
        message_index: { value: 0 },
        total_elapsed_time: 1,
        total_timer_time: 1,
        total_distance: 2,
        enhanced_avg_speed: 2,
        avg_heart_rate: 102,
        max_heart_rate: 120,
      },
      {
        message_index: { value: 1 },
        total_elapsed_time: 2,
        total_timer_time: 2,
        total_distance: 6,
        enhanced_max_speed: 3,
      },
    ]);
    expect(file.laps?.[1]).not.toHaveProperty("avg_heart_rate");
    expect(file.sessions).toMatchObject([
      {
        total_elapsed_time: 402,
        total_timer_time: 3,
        total_distance: 8,
        num_laps: 2,
        sport: "generic",
        enhanced_max_speed: 3,
      },
    ]);
    expect(file.activity).toMatchObject({ total_timer_time: 3, num_sessions: 1 });
    expect(file.records?.at(-1)).toMatchObject({ distance: 8 });
  });

  it("random rows", async () => {
    await fc.assert(
      fc.asyncProperty(trackOf({ from: Date.UTC(1998, 7), to: Date.UTC(2126, 0) }), async (rows) => {
        const { records = [] } = await parsed(fitOf(batchOf(rows)));
        expect(records.length).toBe(rows.length);
        for (const [i, row] of rows.entries()) {
          const record = records[i] ?? {};
          expect(instantOf(record)).toBe(row.timestampMs);
          expect(Math.round(Number(record.position_lat) * 1e7)).toBe(row.latitudeE7);
          expect(Math.round(Number(record.position_long) * 1e7)).toBe(row.longitudeE7);
          expect(record.enhanced_speed).toBe(row.speedMmPerS / 1000);
          expect(record.heart_rate).toBe(row.hr === 0 || row.hr === 255 ? undefined : row.hr);
          const altitude = row.fixType === 2 || row.altitudeMm < -500_100 ? undefined : row.altitudeMm / 1000;
          if (altitude === undefined) expect(record.enhanced_altitude).toBeUndefined();
          else expect(Math.abs(Number(record.enhanced_altitude) - altitude)).toBeLessThanOrEqual(0.1001);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("a FIT file in edge cases", () => {
  it("contains an activity without records if there are no rows", async () => {
    const file = await parsed(fitOf());
    expect(file.records ?? []).toEqual([]);
    expect(file.sessions).toMatchObject([{ num_laps: 0, total_distance: 0 }]);
  });

  it("contains a lap of zero length for one row", async () => {
    const file = await parsed(fitOf(batchOf([sampleAt(START_MS)])));
    expect(file.laps).toMatchObject([{ total_elapsed_time: 0, total_distance: 0 }]);
    expect(file.laps?.[0]).not.toHaveProperty("enhanced_avg_speed");
  });

  it("180 degrees east is written as 180 degrees west, the same meridian", async () => {
    const { records } = await parsed(fitOf(batchOf([sampleAt(START_MS, { longitudeE7: 1_800_000_000 })])));
    expect(records).toMatchObject([{ position_long: -180 }]);
  });

  it.each([
    ["before 1998-07-03T21:24:16Z", Date.UTC(1998, 6, 3, 21, 24, 15, 999)],
    ["after 2126-02-06T06:28:14Z", Date.UTC(2126, 1, 6, 6, 28, 15)],
  ])("a row %s cannot be stored in FIT", (_, timestampMs) => {
    expect(thrown(() => fitOf(batchOf([sampleAt(timestampMs)])))).toMatchObject({
      code: "FORMAT_LIMIT",
      message: expect.stringMatching(
        /FIT can only represent times from 1998-07-03T21:24:16.000Z to 2126-02-06T06:28:14.999Z/,
      ),
    });
  });

  it("refuses more rows than its header can count, before a byte is written", () => {
    expect(thrown(() => new FitWriter({ rows: 153_400_000, ranges: 1 }, ""))).toMatchObject({
      code: "FORMAT_LIMIT",
    });
  });
});

it("batches of any size result in the same file", () => {
  fc.assert(
    fc.property(trackOf({ from: START_MS, to: START_MS + 2_000_000 }), fc.nat(), (rows, cut) => {
      const at = cut % (rows.length + 1);
      const inTwo = fitOf(batchOf(rows.slice(0, at)), batchOf(rows.slice(at)));
      expect(inTwo).toEqual(fitOf(batchOf(rows)));
      expect(fitOf(...rows.map((row) => batchOf([row])))).toEqual(inTwo);
    }),
    { numRuns: 50 },
  );
});

it("any number of rows and ranges is kept until the end, when the header can count them", async () => {
  const info = {
    serial: "TEST-1",
    deviceName: "",
    deviceType: "",
    firmwareVersion: "",
    periodMs: 100,
    formatVersion: 1,
  };
  // more rows than the buffer, in ranges, one of which is a single row
  const rows = Array.from({ length: 40_000 }, (_, i) => sampleAt(START_MS + 100 * i, { speedMmPerS: i }));
  const batch = batchOf(rows);
  const starts = [0, 16_384, 16_385, 30_000];
  const ends = [...starts.slice(1), rows.length];
  const format = openFit({ info, rowWriter: new PlainRowWriter() });
  const writer = new FitWriter({ rows: 40_000, ranges: 4 }, "TEST-1");
  const pieces: Uint8Array[] = [];
  const expected: Uint8Array[] = [];
  for (const [i, start] of starts.entries()) {
    const end = ends[i] ?? 0;
    const middle = Math.ceil((start + end) / 2);
    pieces.push(...(format.startRange?.() ?? []), ...format.rows(batch, start, middle));
    if (middle < end) pieces.push(...format.rows(batch, middle, end));
    writer.startRange();
    expected.push(writer.rows(batch, start, end));
  }
  const file = joined([...pieces, ...format.end({} as Report)]);
  expectSame(file, joined([...expected, writer.end()]), "bytes");
  expect((await parsed(file)).records?.length).toBe(40_000);
});
