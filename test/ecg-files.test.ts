import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEcg, type EcgBatch } from "../src/index.js";
import { ecgParquetWriter } from "../src/waveform-files/ecg-parquet.js";
import { edfWriter } from "../src/waveform-files/edf.js";
import type { WaveformWriter } from "../src/waveform-files/waveform-writer.js";
import { scratchFolder } from "./asi-process.js";
import { edfIn } from "./edf-reader.js";
import { asiInf, ecgRaw, joined } from "./frames.js";
import { all, thrown } from "./whole.js";

const START_MS = Date.UTC(2025, 5, 8, 6, 45, 0, 20);

interface Frame {
  timeMs: number;
  sampleRateHz: number;
  samples: number[];
}

async function written(frames: readonly Frame[], writer: WaveformWriter<EcgBatch>): Promise<Uint8Array> {
  const decoding = decodeEcg(joined([asiInf(), ...frames.map((frame) => ecgRaw(frame))]));
  const pieces = (await all(decoding)).flatMap((batch) => [...writer.batch(batch)]);
  return joined([...pieces, ...writer.end(await decoding.info, await decoding.report)]);
}

/** Frames of a device whose clock has whole milliseconds; some of them are lost. */
const recordings = fc
  .record({
    sampleRateHz: fc.constantFrom(125, 128, 250, 500, 1000, 333),
    frames: fc.array(
      fc.record({
        samples: fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 120 }),
        lostMs: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 40, max: 400_000 })),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  })
  .map(({ sampleRateHz, frames }) => {
    let ms = START_MS;
    return frames.map(({ samples, lostMs }): Frame => {
      const timeMs = Math.round(ms) + lostMs;
      ms = timeMs + (1000 * samples.length) / sampleRateHz;
      return { timeMs, sampleRateHz, samples };
    });
  });

const timesOf = ({ timeMs, sampleRateHz, samples }: Frame) =>
  samples.map((_, i) => timeMs + (1000 * i) / sampleRateHz);

describe("an EDF+ file of the waveform", () => {
  it("is refused for frames without a sample rate, and for frames without samples", async () => {
    const none = { timeMs: START_MS, samples: [] };
    for (const frame of [
      { ...none, sampleRateHz: 0, samples: [1, 2] },
      { ...none, sampleRateHz: 250 },
    ]) {
      await expect(written([frame], edfWriter())).rejects.toMatchObject({
        code: "FORMAT_LIMIT",
        message: expect.stringMatching(/^EDF\+ cannot represent .* without .*; write CSV or Parquet\.$/),
      });
    }
  });

  it("contains every sample in order, each within 20 ms of its time, even after losses", async () => {
    await fc.assert(
      fc.asyncProperty(recordings, async (frames) => {
        const file = edfIn(await written(frames, edfWriter()));
        expect(file.records.flatMap(({ samples }) => samples)).toEqual(
          frames.flatMap(({ samples }) => samples),
        );
        const times = file.records.flatMap(({ startMs, samples }) =>
          samples.map((_, i) => startMs + (1000 * i) / file.sampleRateHz),
        );
        const differences = frames.flatMap(timesOf).map((ms, i) => Math.abs(ms - (times[i] ?? 0)));
        expect(Math.max(...differences)).toBeLessThan(20.001);
      }),
      { numRuns: 100 },
    );
  });

  const seconds = (count: number, periodMs: number) =>
    Array.from({ length: count }, (_, i): Frame => {
      const samples = Array.from({ length: 250 }, (_, k) => i * 1000 + k);
      return { timeMs: START_MS + i * periodMs, sampleRateHz: 250, samples };
    });

  it("is continuous if no samples are missing, as its header states", async () => {
    const file = edfIn(await written(seconds(4, 1000), edfWriter()));
    expect(file.reserved).toBe("EDF+C");
    expect(file.recording).toBe("Startdate 08-JUN-2025 X X TEST-1");
    expect(file.records.map(({ startMs }) => startMs)).toEqual([0, 1, 2, 3].map((s) => START_MS + 1000 * s));
    expect(edfIn(await written(seconds(4, 1100), edfWriter())).reserved).toBe("EDF+D");
  });

  it("has its records in chronological order, as the format requires, if times run backwards", async () => {
    const [first, second] = seconds(2, 60_000) as [Frame, Frame];
    const { records } = edfIn(await written([second, first], edfWriter()));
    expect(records.map(({ startMs }) => startMs)).toEqual([START_MS, START_MS + 60_000]);
  });

  it("is refused for data that the format does not support", async () => {
    const frame = (timeMs: number, sampleRateHz: number) => ({ timeMs, sampleRateHz, samples: [1, 2, 3] });
    const error = async (...frames: Frame[]) => {
      const batches = await all(decodeEcg(joined([asiInf(), ...frames.map((one) => ecgRaw(one))])));
      return thrown(() => {
        const writer = edfWriter();
        for (const batch of batches) writer.batch(batch);
      });
    };
    expect(await error(frame(0, 250), frame(1000, 128))).toMatchObject({
      code: "FORMAT_LIMIT",
      message: expect.stringContaining("samples at 250 and at 128 Hz"),
    });
    expect(await error(frame(0, 0))).toMatchObject({ code: "FORMAT_LIMIT" });
    // three samples an hour would each become a record of 65535 samples
    const lonely = Array.from({ length: 4000 }, (_, i) => frame(i * 3_600_000, 65_535));
    expect(await error(...lonely)).toMatchObject({
      code: "FORMAT_LIMIT",
      message: expect.stringContaining("so many gaps"),
    });
  });

  const hasBiosig = spawnSync("save2gdf", ["--version"]).error === undefined;
  if (!hasBiosig) console.warn("skipped: save2gdf (package biosig-tools) is not installed");

  it.skipIf(!hasBiosig)("is read by biosig's save2gdf", async () => {
    const folder = scratchFolder();
    const frames = seconds(4, 1000);
    writeFileSync(join(folder, "ecg.edf"), await written(frames, edfWriter()));
    const { stdout } = spawnSync("save2gdf", ["-JSON", "ecg.edf"], { cwd: folder, encoding: "utf8" });
    expect(stdout).toMatch(/"NumberOfSamples"\s*: 1000,/);
    expect(stdout).toMatch(/"Samplingrate"\s*: 250\.000000/);
    // its clock stores days as doubles
    expect(stdout).toMatch(/"StartOfRecording"\s*: "2025-06-08 06:45:00\.(019|020)/);
    spawnSync("save2gdf", ["-f=ASCII", "ecg.edf", "samples"], { cwd: folder });
    const samples = readFileSync(join(folder, "samples.a01"), "utf8").trim().split(/\s+/).map(Number);
    expect(samples).toEqual(frames.flatMap((frame) => frame.samples));
  });
});

describe("a Parquet file of the waveform", () => {
  it("contains every sample with its time to the microsecond, as read by DuckDB", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const folder = scratchFolder();
    // DuckDB caches a file by its name
    let files = 0;
    await fc.assert(
      fc.asyncProperty(recordings, async (frames) => {
        const path = join(folder, `ecg-${files++}.parquet`);
        writeFileSync(path, await written(frames, ecgParquetWriter()));
        const { columnNames, rows } = await connection
          .runAndReadAll(
            `SELECT typeof(timestamp) AS type, epoch_us(timestamp) AS us, sample FROM read_parquet('${path}')`,
          )
          .then((result) => ({ columnNames: result.columnNames(), rows: result.getRows() }));
        expect(columnNames).toEqual(["type", "us", "sample"]);
        const expected = frames.flatMap((frame) =>
          timesOf(frame).map((ms, i) => [
            "TIMESTAMP WITH TIME ZONE",
            BigInt(Math.round(ms * 1000)),
            frame.samples[i],
          ]),
        );
        expect(rows).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("keeps samples with impossible times", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const path = join(scratchFolder(), "ecg.parquet");
    const frames = [0, 2 ** 60, 5, Number.MAX_SAFE_INTEGER].map((timeMs) => ({
      timeMs,
      sampleRateHz: 250,
      samples: [-32_768, 32_767],
    }));
    writeFileSync(path, await written(frames, ecgParquetWriter()));
    const result = await connection.runAndReadAll(`SELECT sample FROM read_parquet('${path}')`);
    expect(result.getRows().flat()).toEqual(frames.flatMap(({ samples }) => samples));
  });
});
