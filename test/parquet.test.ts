import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { ParquetNumbers } from "../src/formats/format.js";
import { ParquetWriter, ROW_GROUP_ROWS } from "../src/formats/parquet/parquet-writer.js";
import { rowTable } from "../src/formats/parquet/row-table.js";
import { rowsOf, type SampleBatch } from "../src/index.js";
import { joined } from "./frames.js";
import { examples } from "./long-form.js";
import { expectSame } from "./same.js";
import { anySample, batchOf, type Sample } from "./sample-batches.js";

const START_MS = Date.UTC(2024, 4, 11, 9, 30);
const METADATA = { serial: "TEST-1", report: '{"rows":1}' };

function parquetOf(numbers: ParquetNumbers, ...batches: SampleBatch[]): ArrayBuffer {
  const writer = new ParquetWriter(rowTable(numbers));
  const pieces: Uint8Array[] = [];
  const collect = (written: Iterable<Uint8Array>) => {
    // A piece is valid until the next one.
    for (const piece of written) pieces.push(piece.slice());
  };
  for (const batch of batches) collect(writer.rows(batch, 0, batch.length));
  collect(writer.end(METADATA));
  return new Uint8Array(joined(pieces)).buffer;
}

interface ReadRow {
  timestamp: Date;
  latitude: number;
  longitude: number;
  altitude: number | null;
  speed: number;
  hr: number | null;
}

/** The rows according to an independent reader. */
async function rowsIn(file: ArrayBuffer): Promise<ReadRow[]> {
  return (await parquetReadObjects({ file })) as unknown as ReadRow[];
}

/** The expected rows. */
function expectedOf(samples: readonly Sample[]): ReadRow[] {
  return [...rowsOf(batchOf(samples))].map(({ timestamp, ...row }) => ({
    timestamp: new Date(timestamp),
    ...row,
  }));
}

function sampleAt(index: number, fields: Partial<Sample> = {}): Sample {
  return {
    timestampMs: START_MS + 100 * index,
    latitudeE7: 469_629_000 + (index % 977),
    longitudeE7: 74_648_000 - index * 3,
    altitudeMm: 551_200 + ((index * 7919) % 500),
    speedMmPerS: (index * 31) % 9000,
    hr: index % 10 === 4 ? 60 + (index % 140) : 0,
    fixType: index % 50 === 0 ? 2 : 3,
    ...fields,
  };
}

function samples(count: number, fields: (index: number) => Partial<Sample> = () => ({})): Sample[] {
  return Array.from({ length: count }, (_, i) => sampleAt(i, fields(i)));
}

/** Decimals are read as integers times a power of ten, so the last bits of the double differ from those of the quotient. */
function toDigits(rows: readonly ReadRow[]): unknown[] {
  const digits = (value: number | null, count: number) => (value === null ? null : value.toFixed(count));
  return rows.map((row) => ({
    ...row,
    latitude: digits(row.latitude, 7),
    longitude: digits(row.longitude, 7),
    altitude: digits(row.altitude, 3),
    speed: digits(row.speed, 3),
  }));
}

const NUMBERS: readonly ParquetNumbers[] = ["double", "decimal"];

describe.each(NUMBERS)("an independent reader returns the written values, numbers as %s", (numbers) => {
  async function expectRoundTrip(all: readonly Sample[]): Promise<void> {
    expect(toDigits(await rowsIn(parquetOf(numbers, batchOf(all))))).toEqual(toDigits(expectedOf(all)));
  }

  it.each<[string, Sample[]]>([
    ["no row", []],
    ["one row", samples(1)],
    ["eight rows, a whole group of bits", samples(8)],
    ["128 and 129 rows, at the end of a block of differences", samples(129)],
    ["no heart rate at all", samples(300, () => ({ hr: 0 }))],
    ["a heart rate in every row", samples(300, () => ({ hr: 255 }))],
    ["rows without altitude", samples(300, () => ({ fixType: 2 }))],
    ["an altitude in every row", samples(300, () => ({ fixType: 4 }))],
    ["the same row repeatedly", samples(1000, () => ({ ...sampleAt(1) }))],
    [
      "the widest differences",
      samples(70, (i) => ({
        timestampMs: i % 2 === 0 ? -62_135_596_800_000 : 253_402_300_799_999,
        latitudeE7: i % 2 === 0 ? -900_000_000 : 900_000_000,
        longitudeE7: i % 3 === 0 ? -1_800_000_000 : 1_800_000_000,
        altitudeMm: i % 2 === 0 ? -(2 ** 31) : 2 ** 31 - 1,
        speedMmPerS: i % 5 === 0 ? -(2 ** 31) : 2 ** 31 - 1,
      })),
    ],
  ])("%s", async (_, rows) => {
    await expectRoundTrip(rows);
  });

  it("random rows", async () => {
    const valid = anySample.map((sample) => ({
      ...sample,
      latitudeE7: Math.max(-900_000_000, Math.min(900_000_000, sample.latitudeE7)),
      longitudeE7: Math.max(-1_800_000_000, Math.min(1_800_000_000, sample.longitudeE7)),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(valid, { maxLength: 400, size: "max" }), (rows) => expectRoundTrip(rows)),
      { numRuns: examples(60) },
    );
  });

  it.each([-1, 0, 1])("row groups of 122,880 rows, and %i more", async (more) => {
    const all = samples(ROW_GROUP_ROWS + more);
    const file = parquetOf(numbers, batchOf(all.slice(0, 1000)), batchOf(all.slice(1000)));
    expect(parquetMetadata(file).row_groups.map((group) => Number(group.num_rows))).toEqual(
      more === 1 ? [ROW_GROUP_ROWS, 1] : [ROW_GROUP_ROWS + more],
    );
    const rows = await rowsIn(file);
    expect(rows.length).toBe(all.length);
    const places = [0, 1, 999, 1000, 65_536, all.length - 2, all.length - 1];
    const pick = (from: readonly ReadRow[]) => toDigits(places.map((i) => from[i] as ReadRow));
    expect(pick(rows)).toEqual(pick(expectedOf(all)));
  });

  it("batches of any size result in the same file", () => {
    const all = samples(5000);
    const whole = parquetOf(numbers, batchOf(all));
    const cut = parquetOf(numbers, batchOf(all.slice(0, 17)), batchOf([]), batchOf(all.slice(17)));
    expectSame(new Uint8Array(cut), new Uint8Array(whole), "bytes");
  });
});

describe("the footer of a Parquet file", () => {
  const rows = samples(300, (i) => ({ altitudeMm: i * 1000 - 500, hr: i % 3 === 0 ? 60 + (i % 10) : 0 }));

  it("contains types, units and the nullability of each column", () => {
    const { schema } = parquetMetadata(parquetOf("double", batchOf(rows)));
    expect(
      schema.map(({ name, type, repetition_type, logical_type }) => [
        name,
        type,
        repetition_type,
        logical_type,
      ]),
    ).toEqual([
      ["schema", undefined, undefined, undefined],
      ["timestamp", "INT64", "REQUIRED", { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" }],
      ["latitude", "DOUBLE", "REQUIRED", undefined],
      ["longitude", "DOUBLE", "REQUIRED", undefined],
      ["altitude", "DOUBLE", "OPTIONAL", undefined],
      ["speed", "DOUBLE", "REQUIRED", undefined],
      ["hr", "INT32", "OPTIONAL", { type: "INTEGER", bitWidth: 8, isSigned: false }],
    ]);
  });

  it("contains decimals with their number of digits", () => {
    const { schema } = parquetMetadata(parquetOf("decimal", batchOf(rows)));
    expect(schema.slice(2, 6).map(({ type, precision, scale }) => [type, precision, scale])).toEqual([
      ["INT32", 9, 7],
      ["INT64", 10, 7],
      ["INT64", 10, 3],
      ["INT64", 10, 3],
    ]);
  });

  it("contains the minimum, the maximum and the number of nulls of each column", () => {
    const { row_groups } = parquetMetadata(parquetOf("double", batchOf(rows)));
    const statistics = row_groups[0]?.columns.map((column) => column.meta_data?.statistics);
    expect(statistics?.[0]).toMatchObject({
      min_value: new Date(START_MS),
      max_value: new Date(START_MS + 29_900),
      null_count: 0n,
    });
    // the rows 0, 50, 100, 150, 200 and 250 are two-dimensional
    expect(statistics?.[3]).toMatchObject({ min_value: 0.5, max_value: 298.5, null_count: 6n });
    expect(statistics?.[5]).toMatchObject({ min_value: 60, max_value: 69, null_count: 200n });
  });

  it("contains the version of the columns, and the metadata from the caller", () => {
    const { key_value_metadata, created_by } = parquetMetadata(parquetOf("double"));
    expect(created_by).toBe("asi-convert");
    expect(key_value_metadata).toEqual([
      { key: "schema", value: "rows/1" },
      { key: "serial", value: "TEST-1" },
      { key: "report", value: '{"rows":1}' },
    ]);
  });
});
