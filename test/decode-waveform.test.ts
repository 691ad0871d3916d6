import { describe, expect, it } from "vitest";
import { decodeBeats, decodeEcg, decodeSync, inspectSync } from "../src/index.js";
import { pieces } from "./drive.js";
import { asiInf, civilTime, ecgHr, ecgRaw, joined, navPvt } from "./frames.js";
import { syntheticEcg, waveformFrames } from "./synthetic-ecg.js";
import { all } from "./whole.js";

const START_MS = 1_700_000_000_000;
const ECG = syntheticEcg({ durationS: 60, bpm: 72 });
const RECORDING = joined([asiInf(), ...waveformFrames(ECG, START_MS)]);

describe("decodeBeats", () => {
  it("returns the time, the RR interval and the quality of each beat", async () => {
    const decoding = decodeBeats(RECORDING);
    const batches = await all(decoding);
    const timestampMs = batches.flatMap((batch) => [...batch.timestampMs]);
    const rrMs = batches.flatMap((batch) => [...batch.rrMs]);
    const quality = batches.flatMap((batch) => [...batch.quality]);
    expect(timestampMs).toHaveLength(ECG.beatsS.length);
    timestampMs.forEach((ms, i) => {
      expect(Math.abs(ms - START_MS - 1000 * (ECG.beatsS[i] ?? 0))).toBeLessThan(20);
      // times are whole milliseconds, intervals are not
      const betweenTimes = i === 0 ? 0 : ms - (timestampMs[i - 1] ?? 0);
      expect(Math.abs((rrMs[i] ?? 0) - betweenTimes)).toBeLessThanOrEqual(1);
    });
    expect(Math.min(...quality)).toBeGreaterThan(80);
    expect((await decoding.info).serial).toBe("TEST-1");
    expect((await decoding.report).frames.ecgRaw).toBe(600);
  });

  it("returns the same from a source in chunks, and nothing without a waveform", async () => {
    const [whole] = await all(decodeBeats(RECORDING));
    const parts = await all(decodeBeats(pieces(RECORDING, 5000)));
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.flatMap(({ timestampMs }) => [...timestampMs])).toEqual([...(whole?.timestampMs ?? [])]);
    expect(await all(decodeBeats(joined([asiInf(), navPvt()])))).toEqual([]);
  });

  it("returns an unknown RR interval after a gap", async () => {
    const frames = waveformFrames(ECG, START_MS);
    const late = waveformFrames(ECG, START_MS + 65_000);
    const [batch] = await all(decodeBeats(joined([asiInf(), ...frames, ...late])));
    const after = batch?.timestampMs.findIndex((ms) => ms > START_MS + 60_000) ?? -1;
    expect(batch?.rrMs[after]).toBe(0);
    expect(batch?.rrMs[after + 1]).toBeGreaterThan(700);
  });
});

describe("decodeEcg", () => {
  it("returns the samples as recorded, each with its time", async () => {
    const batches = await all(decodeEcg(pieces(RECORDING, 7000)));
    expect(batches.flatMap(({ sample }) => [...sample])).toEqual(ECG.samples);
    const times = batches.flatMap(({ timestampMs }) => [...timestampMs]);
    expect(times).toEqual(ECG.samples.map((_, i) => START_MS + 4 * i));
    expect(new Set(batches.map(({ sampleRateHz }) => sampleRateHz))).toEqual(new Set([250]));
  });

  it("begins a batch where the sample rate changes, and skips other frames", async () => {
    const recording = joined([
      asiInf(),
      ecgRaw({ timeMs: 1000, sampleRateHz: 250, samples: [1, -2] }),
      navPvt(),
      ecgRaw({ timeMs: 2000, sampleRateHz: 250, samples: [3] }),
      ecgRaw({ timeMs: 3000, sampleRateHz: 250, samples: [] }),
      ecgRaw({ timeMs: 4000, sampleRateHz: 250, samples: [9], claimedCount: 2 }),
      ecgRaw({ timeMs: 5000, sampleRateHz: 128, samples: [32_767, -32_768] }),
      ecgRaw({ timeMs: 6000, sampleRateHz: 0, samples: [4, 5] }),
    ]);
    const batches = await all(decodeEcg(recording));
    expect(
      batches.map(({ sampleRateHz, timestampMs, sample }) => [sampleRateHz, [...timestampMs], [...sample]]),
    ).toEqual([
      [250, [1000, 1004, 2000], [1, -2, 3]],
      [128, [5000, 5007.8125], [32_767, -32_768]],
      [0, [6000, 6000], [4, 5]],
    ]);
    expect(await all(decodeEcg(joined([asiInf(), navPvt()])))).toEqual([]);
  });
});

describe("inspect reports for the waveform", () => {
  it("its mean and highest rate, RMSSD, and the usable share of the signal", () => {
    const { ecg, report } = inspectSync(RECORDING);
    expect(ecg?.seconds).toBe(60);
    expect(ecg?.usable).toBeGreaterThanOrEqual(0.9);
    expect(ecg?.meanBpm).toBeGreaterThan(70);
    expect(ecg?.meanBpm).toBeLessThan(74);
    expect(ecg?.maxBpm).toBeGreaterThan(ecg?.meanBpm ?? 0);
    const rrS = ECG.beatsS.slice(1).map((s, i) => s - (ECG.beatsS[i] ?? 0));
    const squares = rrS.slice(1).map((rr, i) => (1000 * (rr - (rrS[i] ?? 0))) ** 2);
    const rmssdMs = Math.sqrt(squares.reduce((sum, square) => sum + square) / squares.length);
    expect(Math.abs((ecg?.rmssdMs ?? 0) - rmssdMs)).toBeLessThan(4);
    expect(report.rows).not.toHaveProperty("withDerivedHr");
  });

  it("the figures of the whole waveform, even if rows have the heart rate of the device", () => {
    const first = ecgHr({ timeMs: START_MS, beatsPerMinute: 60 });
    const { ecg } = inspectSync(joined([asiInf(), first, ...waveformFrames(ECG, START_MS)]));
    expect(ecg).toEqual(inspectSync(RECORDING).ecg);
  });

  it("only the length of a flat line, and nothing without a waveform", () => {
    const flat = waveformFrames({ rateHz: 250, samples: new Array(5000).fill(7) }, START_MS);
    expect(inspectSync(joined([asiInf(), ...flat])).ecg).toEqual({
      seconds: 20,
      usable: 0,
      meanBpm: null,
      maxBpm: null,
      rmssdMs: null,
    });
    expect(inspectSync(joined([asiInf(), navPvt()])).ecg).toBeNull();
    expect(inspectSync(RECORDING, { hr: "device" }).ecg).toBeNull();
  });
});

describe("the option hr", () => {
  it("is auto, device or ecg", () => {
    for (const hr of ["Auto", "", null, 1] as never[]) {
      expect(() => decodeSync(RECORDING, { hr })).toThrow(
        expect.objectContaining({
          code: "BAD_OPTION",
          message: expect.stringContaining("auto, device or ecg"),
        }),
      );
    }
  });

  it("selects the heart rates of rows; the report states how many are derived", () => {
    const rows = waveformFrames(ECG, START_MS).flatMap((frame, i) => [
      frame,
      navPvt(civilTime(START_MS + 100 * (i + 1))),
    ]);
    const recording = joined([asiInf(), ...rows]);
    const derived = decodeSync(recording).report.rows;
    expect(derived.withHr).toBeGreaterThan(50);
    expect(derived.withDerivedHr).toBe(derived.withHr);
    expect(decodeSync(recording, { hr: "device" }).report.rows).toEqual({ total: 600, withHr: 0, twoD: 0 });
  });
});
