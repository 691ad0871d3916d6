import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AsiError, rowsOf } from "../src/index.js";
import { joined } from "./frames.js";
import { examples } from "./long-form.js";
import { randomChunks, seededRandom } from "./mutations.js";
import { expectSame } from "./same.js";
import { batchOf, trackOf } from "./sample-batches.js";
import { bigEndian, fitDefinition, fitFile, littleEndian, ownFit, readTrack, sealed } from "./track-files.js";
import { asiError } from "./whole.js";

const FIT_EPOCH_S = Date.UTC(1989, 11, 31) / 1000;
const START_S = Date.UTC(2024, 4, 11, 9, 30) / 1000;
const START_MS = START_S * 1000;

/** Degrees in semicircles, as 32 bits. */
function semicircles(degrees: number): number {
  return Math.round((degrees / 180) * 2 ** 31) >>> 0;
}

describe("a FIT file written by the library is read", () => {
  it("including all values that FIT supports", async () => {
    const track = trackOf({ from: Date.UTC(1998, 7), to: Date.UTC(2126, 0) });
    await fc.assert(
      fc.asyncProperty(track, async (rows) => {
        const { samples, summary } = await readTrack(ownFit(batchOf(rows)));
        const expected = rows.map((row) => {
          const steps = Math.round((row.altitudeMm + 500_000) / 200);
          const hasAltitude = row.fixType !== 2 && steps >= 0 && steps * 200 - 500_000 < 2 ** 31;
          return {
            ...row,
            altitudeMm: hasAltitude ? steps * 200 - 500_000 : 0,
            fixType: hasAltitude ? 3 : 2,
            hr: row.hr === 255 ? 0 : row.hr,
          };
        });
        expectSame(samples, batchOf(expected), "rows");
        expect(summary).toMatchObject({ format: "fit", rows: rows.length, speedsFromPositions: 0 });
      }),
      { numRuns: examples(200) },
    );
  });

  it("in chunks of any size", async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => ({
      timestampMs: START_MS + 100 * i,
      latitudeE7: 469_629_000 + i,
      longitudeE7: 74_648_000,
      altitudeMm: 0,
      speedMmPerS: i,
      hr: 0,
      fixType: 3,
    }));
    const file = ownFit(batchOf(rows));
    const whole = await readTrack(file);
    expect(whole.samples.length).toBe(5000);
    for (const seed of [1, 2, 3]) {
      expectSame(await readTrack(randomChunks(file, seededRandom(seed))), whole, `seed ${seed}`);
    }
    expectSame(await readTrack(Array.from(file, (byte) => Uint8Array.of(byte))), whole, "bytes one by one");
  });
});

describe("FIT files of other devices", () => {
  it("are read if they are big-endian, have fields of 16 bits, or contain only a heart rate", async () => {
    const file = fitFile([
      fitDefinition(
        3,
        20,
        [
          [253, 4, 0x86],
          [0, 4, 0x85],
          [1, 4, 0x85],
          [2, 2, 0x84],
          [6, 2, 0x84],
          [3, 1, 0x02],
          [7, 2, 0x84],
        ],
        { isBigEndian: true },
      ),
      [
        3,
        ...bigEndian(START_S - FIT_EPOCH_S, 4),
        ...bigEndian(semicircles(47.5), 4),
        ...bigEndian(semicircles(-8.25), 4),
        ...bigEndian((500 + 412) * 5, 2),
        ...bigEndian(3500, 2),
        144,
        0,
        250,
      ],
      [
        3,
        ...bigEndian(START_S - FIT_EPOCH_S + 1, 4),
        ...bigEndian(0x7fffffff, 4),
        ...bigEndian(0x7fffffff, 4),
        255,
        255,
        255,
        255,
        145,
        0,
        250,
      ],
    ]);
    const { samples, summary } = await readTrack(file);
    expect([...rowsOf(samples)]).toEqual([
      { timestamp: START_MS, latitude: 47.5, longitude: -8.25, altitude: 412, speed: 3.5, hr: 144 },
    ]);
    expect(summary).toEqual({
      format: "fit",
      rows: 1,
      start: START_MS,
      end: START_MS,
      speedsFromPositions: 0,
      speedUnit: "m/s",
      intervals: 0,
      leftOut: { withoutTime: 0, withoutPosition: 1, intervals: 0 },
      damage: null,
    });
  });

  it("are read if the headers of messages contain the times", async () => {
    const place = [...littleEndian(semicircles(10), 4), ...littleEndian(semicircles(20), 4)];
    const base = START_S - FIT_EPOCH_S;
    const at = (seconds: number) => 0x80 | (1 << 5) | ((base + seconds) & 0x1f);
    const file = fitFile([
      fitDefinition(0, 21, [[253, 4, 0x86]]),
      [0, ...littleEndian(base, 4)],
      fitDefinition(1, 20, [
        [0, 4, 0x85],
        [1, 4, 0x85],
      ]),
      ...[1, 2, 20, 40, 70].map((seconds) => [at(seconds), ...place]),
    ]);
    const { samples } = await readTrack(file);
    expect([...samples.timestampMs].map((ms) => ms / 1000 - START_S)).toEqual([1, 2, 20, 40, 70]);
  });

  it("are read if several are joined, the first with a header of 12 bytes", async () => {
    const one = (seconds: number, headerBytes: 12 | 14) =>
      fitFile(
        [
          fitDefinition(0, 20, [
            [253, 4, 0x86],
            [0, 4, 0x85],
            [1, 4, 0x85],
            [73, 4, 0x86],
          ]),
          [
            0,
            ...littleEndian(START_S - FIT_EPOCH_S + seconds, 4),
            ...new Array(8).fill(0),
            ...littleEndian(2000, 4),
          ],
        ],
        headerBytes,
      );
    const { samples } = await readTrack(joined([one(0, 12), one(60, 14)]));
    expect([...samples.timestampMs]).toEqual([START_MS, START_MS + 60_000]);
  });

  it("unknown developer fields, and fields whose sizes differ from the profile, are ignored", async () => {
    const file = fitFile([
      fitDefinition(0, 206, [
        [0, 1, 2],
        [1, 1, 2],
        [2, 1, 2],
        [3, 9, 7],
      ]),
      [0, 0, 0, 0x84, ..."Stryd mW\0"].map((value) =>
        typeof value === "string" ? value.charCodeAt(0) : value,
      ),
      fitDefinition(
        1,
        20,
        [
          [253, 4, 0x86],
          [0, 4, 0x85],
          [1, 4, 0x85],
          [73, 4, 0x86],
          [3, 2, 0x84],
          [78, 8, 0x86],
        ],
        { developers: [[0, 2, 0]] },
      ),
      [
        1,
        ...littleEndian(START_S - FIT_EPOCH_S, 4),
        ...new Array(8).fill(0),
        ...littleEndian(1500, 4),
        90,
        0,
        ...new Array(8).fill(1),
        200,
        1,
      ],
    ]);
    const { samples } = await readTrack(file);
    expect([...rowsOf(samples)]).toEqual([
      { timestamp: START_MS, latitude: 0, longitude: 0, altitude: null, speed: 1.5, hr: null },
    ]);
  });

  it("missing speeds are computed from the positions, which the summary reports", async () => {
    // a thousandth of a degree of latitude is 111.195 m
    const rows = [0, 10, 20, 20, 400, 410].map((seconds, i) => [
      0,
      ...littleEndian(START_S - FIT_EPOCH_S + seconds, 4),
      ...littleEndian(semicircles(i / 1000), 4),
      ...littleEndian(0, 4),
    ]);
    const file = fitFile([
      fitDefinition(0, 20, [
        [253, 4, 0x86],
        [0, 4, 0x85],
        [1, 4, 0x85],
      ]),
      ...rows,
    ]);
    const { samples, summary } = await readTrack(file);
    expect([...samples.speedMmPerS].map((speed) => speed / 1000)).toEqual([
      expect.closeTo(11.12, 2),
      expect.closeTo(11.12, 2),
      expect.closeTo(11.12, 2),
      expect.closeTo(11.12, 2),
      expect.closeTo(11.12, 2),
      expect.closeTo(11.12, 2),
    ]);
    expect(summary).toMatchObject({ rows: 6, speedsFromPositions: 6 });
  });
});

const rowAt = (timestampMs: number) => ({
  ...{ timestampMs, latitudeE7: 1, longitudeE7: 2, altitudeMm: 3, speedMmPerS: 4, hr: 5, fixType: 3 },
});

describe("a FIT file that is damaged after its first record returns the rows before the damage and its position", () => {
  const rows = [0, 1000, 2000].map((ms) => rowAt(START_MS + ms));
  const good = ownFit(batchOf(rows));
  const whole = joined([good, ownFit(batchOf(rows.map((row) => rowAt(row.timestampMs + 60_000))))]);

  it("after a cut anywhere", async () => {
    expect((await readTrack(whole)).summary).toMatchObject({ rows: 6, damage: null });
    let most = 0;
    for (let length = 12; length < whole.length; length++) {
      const cut = readTrack(whole.subarray(0, length));
      if (length === good.length) {
        expect((await cut).summary).toMatchObject({ rows: 3, damage: null });
        continue;
      }
      const read = await cut.catch((error: unknown) => error as AsiError);
      if (read instanceof AsiError) {
        expect([read.code, read.byteOffset, most], `${length} bytes`).toEqual(["BAD_TRACK", length, 0]);
        continue;
      }
      const { samples, summary } = read;
      const times = [...samples.timestampMs];
      // all complete rows are returned, and the damage names the last of them
      expect(times.length, `${length} bytes`).toBeGreaterThanOrEqual(most);
      most = times.length;
      // fewer bytes than a header do not identify a FIT file
      const isHeaderBegun = length > good.length && length < good.length + 14;
      const byteOffset = isHeaderBegun ? good.length : length;
      expect(summary.damage, `${length} bytes`).toMatchObject({ byteOffset, afterMs: times.at(-1) });
      expect(summary.rows).toBe(most);
    }
    expect(most).toBe(6);
  });

  it("a wrong checksum, which does not tell which bytes are wrong", async () => {
    const { samples, summary } = await readTrack(
      good.map((byte, i) => (i === good.length - 1 ? byte ^ 1 : byte)),
    );
    expect(samples.length).toBe(3);
    expect(summary.damage).toEqual({
      byteOffset: good.length - 2,
      afterMs: START_MS + 2000,
      reason: "the checksum of the file is wrong; some earlier bytes are damaged",
    });
  });

  it("if bytes follow its end", async () => {
    const { summary } = await readTrack(joined([good, new Uint8Array(20), good]));
    expect(summary).toMatchObject({ rows: 3, damage: { byteOffset: good.length } });
  });
});

describe("a FIT file with an error before its first record is refused with the byte position", () => {
  const good = ownFit(batchOf([rowAt(START_MS)]));

  it.each<[string, Uint8Array, number, RegExp]>([
    [
      "a wrong checksum",
      fitFile([]).map((byte, i) => (i === 15 ? byte ^ 1 : byte)),
      14,
      /checksum of the file/,
    ],
    [
      "a header with a wrong checksum",
      good.map((byte, i) => (i === 2 ? byte ^ 1 : byte)),
      0,
      /checksum of the header/,
    ],
    ["additional bytes after the end", joined([fitFile([]), new Uint8Array(20)]), 16, /after the end/],
    [
      "a message of a type that is not defined",
      fitFile([[5, 1, 2, 3]]),
      14,
      /local type 5, which is not defined/,
    ],
    [
      "a message that extends beyond the end",
      fitFile([fitDefinition(0, 20, [[253, 200, 0x0d]]), [0, 1, 2]]),
      23,
      /past the end stated in the file header/,
    ],
    [
      "a definition that extends beyond the end",
      fitFile([[0x40, 0, 0, 20, 0, 9, 1]]),
      14,
      /past the end stated in the file header/,
    ],
    ["an incomplete definition", fitFile([[0x60, 0, 0]]), 14, /past the end stated in the file header/],
  ])("%s", async (_, file, byteOffset, message) => {
    const error = await asiError(readTrack(file));
    expect(error).toMatchObject({ code: "BAD_TRACK", byteOffset });
    expect(error.message).toMatch(message);
  });

  it("a header that claims gigabytes does not cause an allocation", async () => {
    const claiming = good.slice();
    new DataView(claiming.buffer).setUint32(4, 0xffff_fff0, true);
    claiming.set([0, 0], 12);
    expect((await readTrack(claiming)).summary).toMatchObject({ rows: 1, damage: { afterMs: START_MS } });
  });

  it("messages of the greatest length in chunks of one byte are read in linear time", async () => {
    const fields = Array.from({ length: 255 }, (_, i) => [i, 255, 0x0d]);
    const file = fitFile([
      fitDefinition(0, 99, fields),
      ...Array.from({ length: 8 }, () => [0, ...new Array(255 * 255).fill(0)]),
    ]);
    const { summary } = await readTrack(Array.from(sealed(file), (byte) => Uint8Array.of(byte)));
    expect(summary.rows).toBe(0);
  });
});
