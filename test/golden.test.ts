import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { compareFiles, repositoryFiles } from "../fixtures/index.js";
import { convert, decode, decodeRows, decodeSync, type EngineName, inspect, type Row } from "../src/index.js";
import { type FixtureFile, fixture, fixtures, formatFile } from "./fixture-files.js";
import { all, asiError, csvFields, csvRows, wholeColumns, wholeText } from "./whole.js";

const engines: EngineName[] = ["simd", "scalar", "plain"];

describe("the fixtures", () => {
  it("are equal to the output of the generator", () => {
    expect(compareFiles(repositoryFiles())).toEqual([]);
  });

  it("include undamaged and damaged recordings", () => {
    expect(fixtures.filter(({ name }) => name.startsWith("valid/")).length).toBeGreaterThan(4);
    expect(fixtures.filter(({ name }) => name.startsWith("damaged/")).length).toBeGreaterThan(50);
  });
});

describe.for(engines)("the %s engine", (engine) => {
  describe("converts to the original CSV, file name and report", () => {
    it.for(fixtures.filter(({ csv }) => csv !== null).map(named))("%s", async ([, fixture]) => {
      const { bytes, options, expectation } = fixture;
      const { body: csv, fileName, report, info } = convert(bytes, { ...options, engine });
      expect(await wholeText(csv)).toBe(fixture.csv);
      expect(await fileName).toBe(expectation.fileName);
      expect(await report).toEqual(expectation.report);
      expect((await info).serial).toBe(expectation.serial);
    });
  });

  describe("decodes the original rows", () => {
    it.for(fixtures.filter(isAccepted).map(named))("%s", async ([, fixture]) => {
      const { bytes, options, expectation } = fixture;
      const decoding = decode(bytes, { ...options, engine });
      const { altitudeMm, fixType, ...columns } = wholeColumns(await all(decoding));
      const fields = csvFields(fixture.csv ?? "");
      expect(columns).toEqual({
        timestampMs: fields.map(([timestamp]) => integer(timestamp)),
        latitudeE7: fields.map(([, latitude]) => integer(latitude)),
        longitudeE7: fields.map(([, , longitude]) => integer(longitude)),
        speedMmPerS: fields.map(([, , , , speed]) => integer(speed)),
        hr: fields.map(([, , , , , hr]) => integer(hr)),
      });
      const altitudes = altitudeMm.map((altitude, i) => (fixType[i] === 2 ? null : altitude));
      expect(altitudes).toEqual(
        fields.map(([, , , altitude]) => (altitude === "" ? null : integer(altitude))),
      );
      expect(await decoding.report).toEqual(expectation.report);

      const rows = decodeRows(bytes, { ...options, engine });
      expect(await all(rows)).toEqual(csvRows(fixture.csv ?? ""));
      expect(await rows.report).toEqual(expectation.report);
    });
  });

  it("decodes the original quality of the rows", () => {
    const reception = fixture("valid/reception");
    const {
      satellites = [],
      speedAccuracyMmPerS = [],
      pdopHundredths = [],
    } = decodeSync(reception.bytes, { engine, quality: true }).samples.quality ?? {};
    const lines = [...satellites].map(
      (count, i) => `${count},${speedAccuracyMmPerS[i]},${pdopHundredths[i]}`,
    );
    expect(lines).toEqual(formatFile(reception, "quality.csv").trimEnd().split("\n").slice(1));
  });

  describe("describes the content of the file", () => {
    it.for(fixtures.filter(isAccepted).map(named))("%s", async ([, { bytes, options, expectation }]) => {
      const { report, fileName, info, rowsProduced } = await inspect(bytes, { ...options, engine });
      expect(report).toEqual(expectation.report);
      expect(fileName).toBe(expectation.fileName);
      expect(info.serial).toBe(expectation.serial);
      expect(rowsProduced).toBe(report.rows.total);
    });
  });

  describe("refuses a file that is not a recording, with code and position", () => {
    it.for(fixtures.filter(({ csv }) => csv === null).map(named))(
      "%s",
      async ([, { bytes, options, expectation }]) => {
        const conversion = convert(bytes, { ...options, engine });
        const pieces: Uint8Array[] = [];
        const error = await asiError(collect(conversion.body, pieces));
        expect(error.code).toBe(expectation.error);
        expect(error.byteOffset).toBe(expectation.errorByteOffset);
        // a later header causes the error after the rows before it have been output
        if (error.byteOffset === 0 || expectation.error === "NO_SAMPLES") expect(pieces).toEqual([]);
        expect(await asiError(conversion.fileName)).toMatchObject({
          code: error.code,
          byteOffset: error.byteOffset,
        });
        if (expectation.error === "NO_SAMPLES") {
          expect(error.report).toEqual(expectation.report);
          expect(await conversion.report).toEqual(expectation.report);
          return;
        }
        const attempts = [
          inspect(bytes, { ...options, engine }),
          all(decode(bytes, { ...options, engine })),
          all(decodeRows(bytes, { ...options, engine })),
        ];
        for (const { code, byteOffset } of await Promise.all(attempts.map(asiError))) {
          expect({ code, byteOffset }).toEqual({ code: error.code, byteOffset: error.byteOffset });
        }
      },
    );
  });
});

const hasGpsdecode = spawnSync("gpsdecode", ["-V"]).error === undefined;
if (!hasGpsdecode) console.warn("skipped: gpsdecode (package gpsd-clients) is not installed");

describe.skipIf(!hasGpsdecode)("gpsd's gpsdecode returns the same GNSS columns", () => {
  const valid = fixtures.filter(({ name }) => name.startsWith("valid/"));

  it.for(valid.map(named))("%s", async ([, { bytes, options }]) => {
    const rows = (await all(decodeRows(bytes, options))).map(({ hr, ...gnss }) => gnss);
    const times = new Set(rows.map(({ timestamp }) => timestamp));
    // gpsd also returns positions without a fix, from dead reckoning alone.
    expect(gpsdFixes(bytes).filter(({ timestamp }) => times.has(timestamp))).toEqual(rows);
  });
});

interface TimePositionVelocity {
  class: string;
  mode: number;
  time?: string;
  lat?: number;
  lon?: number;
  altMSL?: number;
  speed?: number;
}

/** A position from gpsd; missing values are undefined. */
type Fix = Pick<Row, "timestamp"> & {
  [field in "latitude" | "longitude" | "altitude" | "speed"]: number | null | undefined;
};

/** The fixes of the recording according to gpsd: its reports of time, position and velocity (TPV) with a position. */
function gpsdFixes(bytes: Uint8Array): Fix[] {
  const { stdout, status } = spawnSync("gpsdecode", ["-j"], { input: bytes, maxBuffer: 1 << 28 });
  expect(status).toBe(0);
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as TimePositionVelocity)
    .filter((report) => report.class === "TPV" && report.mode >= 2)
    .map(({ mode, time = "", lat, lon, altMSL, speed }) => ({
      timestamp: Date.parse(time),
      latitude: lat,
      longitude: lon,
      altitude: mode === 2 ? null : altMSL,
      speed,
    }));
}

function named(fixture: FixtureFile): [string, FixtureFile] {
  return [fixture.name, fixture];
}

/** Whether the library reads the file to its end. */
function isAccepted({ expectation: { error } }: FixtureFile): boolean {
  return error === null || error === "NO_SAMPLES";
}

/** The digits of a decimal as an integer in units of its last digit; 0 for an empty field. */
function integer(digits = ""): number {
  return Number(digits.replace(".", "")) + 0;
}

async function collect<T>(values: AsyncIterable<T>, into: T[]): Promise<void> {
  for await (const value of values) into.push(value);
}
