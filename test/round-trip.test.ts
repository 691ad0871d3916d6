import fc from "fast-check";
import { parseString } from "fast-csv";
import { describe, expect, it } from "vitest";
import {
  type Column,
  convert,
  decodeRows,
  type EngineName,
  encode,
  findRanges,
  inspect,
  type Row,
} from "../src/index.js";
import { encodeCsv } from "../src/node.js";
import { arbitraryRecording } from "./arbitrary-recording.js";
import { fixturesWithRows } from "./fixture-files.js";
import { examples } from "./long-form.js";
import { expectSame } from "./same.js";
import { all, csvRows, wholeBytes, wholeText } from "./whole.js";

const header = { serial: "ROUND-1", deviceName: "Tracker", firmwareVersion: "2.1", periodMs: 1000 };

/** Integers divided as in the library, so that each number is the double nearest to the decimal. */
function decimals(min: number, max: number, scale: number, edges: readonly number[]): fc.Arbitrary<number> {
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.integer({ min, max }) },
      { weight: 1, arbitrary: fc.constantFrom(...edges) },
    )
    .map((value) => value / scale);
}

const INT32 = 2 ** 31;
const metres = decimals(-INT32, INT32 - 1, 1e3, [0, 1, -1, 999, -1000, INT32 - 1, -INT32]);
const YEAR_1_MS = Date.parse("0001-01-01T00:00:00Z");
const YEAR_9999_MS = Date.parse("9999-12-31T23:59:59.999Z");

const timestamp = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_020_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: YEAR_1_MS, max: YEAR_9999_MS }) },
  { weight: 1, arbitrary: fc.constantFrom(YEAR_1_MS, YEAR_9999_MS, -1, 0, 999_999_999_999, 951_782_399_999) },
);

const row: fc.Arbitrary<Row> = fc
  .record({
    timestamp,
    latitude: decimals(-90e7, 90e7, 1e7, [0, 1, -1, 90e7, -90e7, 9_999_999, -10_000_000]),
    longitude: decimals(-180e7, 180e7, 1e7, [0, 1, -1, 180e7, -180e7, 9_999_999, -10_000_000]),
    altitude: fc.option(metres, { freq: 4 }),
    speed: metres,
    hr: fc.option(fc.integer({ min: 1, max: 255 }), { freq: 3 }),
  })
  // times of heart rates start in 1970
  .map((drawn) => (drawn.timestamp < 0 ? { ...drawn, hr: null } : drawn));

const rows = fc.array(row, { minLength: 1, maxLength: 80 });
const engine = fc.constantFrom<EngineName[]>("simd", "scalar", "plain");

describe("decoded rows are the encoded rows", () => {
  it("for any values in any order", async () => {
    await fc.assert(
      fc.asyncProperty(rows, engine, async (encoded, engine) => {
        const decoding = decodeRows(encode(encoded, header), { engine, strict: true });
        expect(await all(decoding)).toEqual(encoded);
        expect(await decoding.info).toEqual({ ...header, deviceType: "", formatVersion: 1 });
        const report = await decoding.report;
        const backwards = encoded.filter(
          ({ timestamp }, i) => timestamp < (encoded[i - 1]?.timestamp ?? timestamp),
        ).length;
        expect(report.rows).toEqual({
          total: encoded.length,
          withHr: encoded.filter(({ hr }) => hr !== null).length,
          twoD: encoded.filter(({ altitude }) => altitude === null).length,
          ...(backwards > 0 && { backwards }),
        });
        expect(report.bytes.known).toBe(report.bytes.total);
        expect(report.ranges).toEqual(findRanges(encoded.map(({ timestamp }) => timestamp)));
      }),
      { numRuns: examples(400) },
    );
  });

  it("for the rows of every fixture", async () => {
    for (const { bytes, options, name } of fixturesWithRows(200_000)) {
      const decoded = await all(decodeRows(bytes, options));
      // The format has no dates outside these years; within a second of them a fraction may cross the limit.
      const encodable = decoded.filter(({ timestamp: ms }) => ms >= YEAR_1_MS && ms <= YEAR_9999_MS);
      expect(await all(decodeRows(encode(encodable, header))), name).toEqual(encodable);
    }
  });

  it("for any number of rows from an asynchronous iterable", async () => {
    const many = function* () {
      for (let i = 0; i < 10_000; i++) {
        yield {
          timestamp: i * 100,
          latitude: i / 1e7,
          longitude: -i / 1e7,
          altitude: i / 1e3,
          speed: 1,
          hr: null,
        };
      }
    };
    const later = async function* () {
      for (const value of many()) yield value;
    };
    const expected = [...many()].map((value) => ({ ...value, longitude: value.longitude + 0 }));
    expectSame(await all(decodeRows(encode(later(), header))), expected, "rows");
    expectSame(await wholeBytes(encode(later(), header)), await wholeBytes(encode(many(), header)), "bytes");
  });

  it("rounded to the units of a recording; altitude and heart rate are optional", async () => {
    const [decoded] = await all(
      decodeRows(
        encode([{ timestamp: 1000.4, latitude: 0.12345678, longitude: -0.00000006, speed: 1.2345 }], header),
      ),
    );
    expect(decoded).toEqual({
      timestamp: 1000,
      latitude: 0.1234568,
      longitude: -1e-7,
      altitude: null,
      speed: 1.235,
      hr: null,
    });
  });
});

describe("a CSV that is encoded and converted has the same rows", () => {
  it("for any values", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (encoded) => {
        const csv = await wholeBytes(convert(encode(encoded, header)).body);
        expect(await all(decodeRows(encodeCsv(csv, header)))).toEqual(encoded);
      }),
      { numRuns: examples(100) },
    );
  });

  it("is the same CSV, byte for byte", async () => {
    for (const { csv, name } of fixturesWithRows(200_000)) {
      if (csv === null || name.endsWith("years-1-and-9999")) continue;
      const again = convert(encodeCsv(new TextEncoder().encode(csv), header));
      expect(await wholeText(again.body), name).toBe(csv);
    }
  });

  it("for other delimiters, column orders, line ends and additional columns", async () => {
    const text =
      "speed;note;hr;longitude;timestamp;latitude\r\n1.5;a;;8.5;10.250;47.1\r\n0;;60;-8.5;11;-47.1\r\n";
    const recording = encodeCsv(new TextEncoder().encode(text), header, { delimiter: ";" });
    expect(await all(decodeRows(recording))).toEqual([
      { timestamp: 10_250, latitude: 47.1, longitude: 8.5, altitude: null, speed: 1.5, hr: null },
      { timestamp: 11_000, latitude: -47.1, longitude: -8.5, altitude: null, speed: 0, hr: 60 },
    ]);
  });
});

describe("fast-csv reads the output of WebAssembly", () => {
  const read = (csv: string) =>
    new Promise<Record<Column, string>[]>((resolve, reject) => {
      const records: Record<Column, string>[] = [];
      parseString<Record<Column, string>, Record<Column, string>>(csv, { headers: true })
        .on("error", reject)
        .on("data", (record: Record<Column, string>) => records.push(record))
        .on("end", () => resolve(records));
    });
  const numberOrNull = (digits: string) => (digits === "" ? null : Number(digits));

  it("value for value, of random recordings", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecording, async (bytes) => {
        const options = { serial: "ROUND-1", engine: "simd" } as const;
        let expected: Row[];
        try {
          expected = await all(decodeRows(bytes, options));
        } catch {
          return; // refused because of an invalid header
        }
        if (expected.length === 0) return;
        const csv = await wholeText(convert(bytes, options).body);
        const records = await read(csv);
        expect(
          records.map(({ timestamp, latitude, longitude, altitude, speed, hr }) => ({
            timestamp: Math.round(Number(timestamp) * 1000),
            latitude: numberOrNull(latitude),
            longitude: numberOrNull(longitude),
            altitude: numberOrNull(altitude),
            speed: numberOrNull(speed),
            hr: numberOrNull(hr),
          })),
        ).toEqual(expected);
        expect(csvRows(csv)).toEqual(expected);
      }),
      { numRuns: examples(300) },
    );
  });

  it("writes the same text for the same fields", async () => {
    const { writeToString } = await import("fast-csv");
    for (const { csv } of fixturesWithRows(80_000)) {
      const records = await read(csv ?? "");
      expect(await writeToString(records, { headers: true, includeEndRowDelimiter: true })).toBe(csv);
    }
  });
});

describe("ranges", () => {
  it("found in timestamps are those of the report", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (encoded) => {
        const { report } = await inspect(encode(encoded, header));
        expect(findRanges(encoded.map(({ timestamp }) => timestamp))).toEqual(report.ranges);
      }),
      { numRuns: 50 },
    );
  });
});
