import { tableFromIPC } from "@uwdata/flechette";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocateColumns, FIX_2D, FIX_3D, type SampleColumns } from "../../store/samples/index.js";
import { arrowStream } from "./arrow-stream.js";

interface Row {
  timestamp: number;
  latitudeE7: number;
  longitudeE7: number;
  altitudeMm: number | null;
  speedMmPerS: number;
  hr: number | null;
}

interface Group {
  labels: string[];
  batches: Row[][];
}

/** Returns columns longer than their rows, as those of the store can be. */
function columnsOf(rows: readonly Row[]): SampleColumns {
  const columns = { ...allocateColumns(rows.length + 3), length: rows.length };
  rows.forEach((row, i) => {
    columns.timestampMs[i] = row.timestamp;
    columns.latitudeE7[i] = row.latitudeE7;
    columns.longitudeE7[i] = row.longitudeE7;
    columns.altitudeMm[i] = row.altitudeMm ?? 0;
    columns.fixType[i] = row.altitudeMm === null ? FIX_2D : FIX_3D;
    columns.speedMmPerS[i] = row.speedMmPerS;
    columns.hr[i] = row.hr ?? 0;
  });
  return columns;
}

async function written(groups: readonly Group[], labels: readonly string[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  const all = groups.map((group) => ({ labels: group.labels, samples: group.batches.map(columnsOf) }));
  for await (const piece of arrowStream(all, { labels, metadata: { schema: "rows/1" } })) pieces.push(piece);
  return pieces;
}

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const row: fc.Arbitrary<Row> = fc.record({
  timestamp: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  latitudeE7: int32,
  longitudeE7: int32,
  altitudeMm: fc.option(int32),
  speedMmPerS: int32,
  hr: fc.option(fc.integer({ min: 1, max: 255 })),
});
const group = fc.record({
  labels: fc.tuple(fc.string({ unit: "binary" }), fc.string()),
  batches: fc.array(fc.array(row, { maxLength: 20 }), { maxLength: 3 }),
});

describe("an Arrow stream", () => {
  it("contains every sample with its times, missing values and texts, when an Arrow library reads it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(group, { maxLength: 3 }), async (groups) => {
        const table = tableFromIPC(Buffer.concat(await written(groups, ["player", "device"])));
        expect(table.toArray()).toEqual(
          groups.flatMap(({ labels: [player, device], batches }) =>
            batches.flat().map((one) => ({
              player,
              device,
              timestamp: one.timestamp,
              latitude: one.latitudeE7 / 1e7,
              longitude: one.longitudeE7 / 1e7,
              altitude: one.altitudeMm === null ? null : one.altitudeMm / 1e3,
              speed: one.speedMmPerS / 1e3,
              hr: one.hr,
            })),
          ),
        );
        expect(table.schema.metadata).toEqual(new Map([["schema", "rows/1"]]));
      }),
      { numRuns: 40 },
    );
  });

  it("consists of small batches if a text is long, so it needs little memory", async () => {
    const one: Row = { timestamp: 0, latitudeE7: 0, longitudeE7: 0, altitudeMm: 0, speedMmPerS: 0, hr: 1 };
    const labels = ["x".repeat(3_000)];
    const pieces = await written([{ labels, batches: [Array.from({ length: 2_000 }, () => one)] }], ["name"]);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1.1 * 1024 * 1024);
    expect(tableFromIPC(Buffer.concat(pieces)).numRows).toBe(2_000);
  });
});
