import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { inTextFormats, type WaveformExpectation } from "../fixtures/index.js";
import { type ConvertOptions, convert, type FormatName } from "../src/index.js";
import { asi, scratchFolder } from "./asi-process.js";
import { edfIn } from "./edf-reader.js";
import { ENGINES } from "./every-engine.js";
import { rowIn, rowsInFile } from "./rows-in-file.js";
import { expectSame } from "./same.js";
import { csvRows, wholeBytes } from "./whole.js";

// The output for a recording with a waveform is compared byte by byte with fixtures/waveform/expected. UPDATE_GOLDENS=1
// rewrites it; review the changes. Its correctness is checked against the data of the generator.

const folder = fileURLToPath(new URL("../fixtures/waveform/", import.meta.url));
const RECORDING = `${folder}run.asi`;
const bytes = new Uint8Array(readFileSync(RECORDING));
const truth = JSON.parse(readFileSync(`${folder}run.json`, "utf8")) as WaveformExpectation;
const { electrodeOff, framesLost } = truth.withoutSignalMs;

const kept = (name: string) => new Uint8Array(readFileSync(`${folder}expected/${name}`));
const keptText = (name: string) => new TextDecoder().decode(kept(name));

function expectKept(name: string, written: Uint8Array, by: string): void {
  if (process.env.UPDATE_GOLDENS === "1") writeFileSync(`${folder}expected/${name}`, written);
  expectSame(written, kept(name), by);
}

const FORMATS: readonly [string, ConvertOptions & { format: FormatName }][] = [
  ["run.csv", { format: "csv" }],
  ["run.jsonl", { format: "jsonl" }],
  ["run.geojsonl", { format: "geojsonl" }],
  ["run.geojson", { format: "geojson" }],
  ["run.gpx", { format: "gpx" }],
  ["run.tcx", { format: "tcx" }],
  ["run.kml", { format: "kml" }],
  ["run.fit", { format: "fit" }],
  ["run.parquet", { format: "parquet" }],
  ["run.decimal.parquet", { format: "parquet", numbers: "decimal" }],
];

describe.for(FORMATS)("rows with derived heart rates as %s", ([name, options]) => {
  it("are the same with every engine", async () => {
    for (const engine of ENGINES) {
      expectKept(name, await wholeBytes(convert(bytes, { ...options, engine }).body), engine);
    }
  });

  it("are the rows of the CSV for every reader", async () => {
    const { format } = options;
    const isFilled = ["gpx", "tcx", "fit"].includes(format);
    const rows = csvRows(keptText("run.csv"));
    const expected = (isFilled ? filled(rows) : rows).map((row) => rowIn(format, row));
    expect(await rowsInFile(format, kept(name))).toEqual(expected);
    const text = inTextFormats(keptText("run.csv"), truth.serial).get(`.${format}`);
    if (text !== undefined && !isFilled) expect(keptText(name)).toBe(text);
  });
});

/** Heart rates are valid for 2 s here; a reading is at most 1 s older than its row. */
function filled(rows: ReturnType<typeof csvRows>): ReturnType<typeof csvRows> {
  let last = { timestamp: Number.NEGATIVE_INFINITY, hr: 0 };
  return rows.map((row) => {
    if (row.hr !== null) last = { timestamp: row.timestamp, hr: row.hr };
    return { ...row, hr: row.hr ?? (row.timestamp - last.timestamp <= 2000 ? last.hr : null) };
  });
}

describe("the heart rates of the rows", () => {
  const startMs = truth.startMs;

  /** 60 s divided by the mean of the RR intervals of the last 8 s, at most 16 (docs/heart-rate.md). */
  const meanRateAt = (ms: number) => {
    const ends = truth.beatsMs.filter((beat) => beat <= ms && beat > ms - 8000).slice(-17);
    return (60_000 * (ends.length - 1)) / ((ends.at(-1) ?? 0) - (ends[0] ?? 0));
  };

  it("are the mean rate of the last 8 s, once a second, while the signal is good", () => {
    const steady = csvRows(keptText("run.csv")).filter(
      ({ timestamp: ms }) =>
        (ms > startMs + 12_000 && ms < electrodeOff[0] - 1000) ||
        (ms > electrodeOff[1] + 12_000 && ms < framesLost[0] - 1000) ||
        (ms > framesLost[1] + 12_000 && ms < truth.deviceFromMs),
    );
    const readings = steady.filter(({ hr }) => hr !== null);
    expect(readings.length).toBeGreaterThanOrEqual(0.97 * (steady.length / 2));
    const differences = readings.map(({ timestamp, hr }) => Math.abs((hr ?? 0) - meanRateAt(timestamp)));
    expect(Math.max(...differences)).toBeLessThanOrEqual(2);
  });

  it("are absent while no heartbeat is visible, and come from the device as soon as it has a heart rate", () => {
    const rows = csvRows(keptText("run.csv"));
    const between = (from: number, to: number) =>
      rows.filter(({ timestamp }) => timestamp >= from && timestamp < to).flatMap(({ hr }) => hr ?? []);
    expect(between(electrodeOff[0] + 5000, electrodeOff[1])).toEqual([]);
    expect(between(framesLost[0] + 2000, framesLost[1])).toEqual([]);
    expect(new Set(between(truth.deviceFromMs, Number.POSITIVE_INFINITY))).toEqual(new Set([200]));
    expect(between(startMs, truth.deviceFromMs)).not.toContain(200);
  });
});

describe("asi beats", () => {
  it.for(["csv", "jsonl"])("writes the stored %s", async (format) => {
    const { stdout } = await asi(["beats", RECORDING, "--format", format]);
    expectKept(`run.beats.${format}`, new TextEncoder().encode(stdout), format);
  });

  it("finds each beat within 20 ms, and no others while heartbeats are visible", () => {
    const found = keptText("run.beats.csv")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => 1000 * Number(line.split(",")[0]));
    const isNear = (ms: number, others: readonly number[]) =>
      others.some((other) => Math.abs(other - ms) <= 20);
    // the step in the signal when the electrode comes off shifts the beat before it
    const clear = truth.beatsMs.filter((ms) => ms < electrodeOff[0] - 125 || ms >= electrodeOff[0]);
    expect(clear.filter((ms) => !isNear(ms, found))).toEqual([]);
    const others = found.filter((ms) => !isNear(ms, truth.beatsMs));
    expect(others.filter((ms) => ms < electrodeOff[0] - 125 || ms >= electrodeOff[1])).toEqual([]);
    // the signal resembles beats for a moment when the electrode comes off
    expect(others.length).toBeLessThan(5);
  });
});

describe("asi ecg", () => {
  const ecgCsv = readFileSync(`${folder}run.ecg.csv`, "utf8");
  const samples = ecgCsv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",").map(Number));

  it("writes the CSV of the generator", async () => {
    const { stdout } = await asi(["ecg", RECORDING]);
    expect(stdout === ecgCsv).toBe(true);
  });

  it("writes the stored Parquet and EDF+ files, with the samples of the CSV", async () => {
    for (const format of ["parquet", "edf"]) {
      const path = join(scratchFolder(), `run.ecg.${format}`);
      expect(await asi(["ecg", RECORDING, "-o", path])).toMatchObject({ status: 0 });
      expectKept(`run.ecg.${format}`, new Uint8Array(readFileSync(path)), format);
    }
    const rows = await parquetReadObjects({ file: kept("run.ecg.parquet").buffer as ArrayBuffer });
    expect(rows.map(({ timestamp, sample }) => [Number(timestamp) / 1000, sample])).toEqual(samples);
    const { records } = edfIn(kept("run.ecg.edf"));
    expect(
      records.flatMap((record) =>
        record.samples.map((sample, i) => [Math.round(record.startMs + 4 * i) / 1000, sample]),
      ),
    ).toEqual(samples);
  });
});
