import { describe, expect, it } from "vitest";
import type { EngineSettings } from "../src/engine/engine.js";
import { createEngine } from "../src/engine/engines.js";
import { drive, type Outcome, pieces } from "./drive.js";
import { ENGINES } from "./every-engine.js";
import { asiInf, civilTime, ecgHr, ecgRaw, joined, navPvt } from "./frames.js";
import { examples } from "./long-form.js";
import { randomChunks, seededRandom } from "./mutations.js";
import { Oracle } from "./oracle/index.js";
import { expectSame } from "./same.js";
import { type SyntheticEcgOptions, syntheticEcg, waveformFrames } from "./synthetic-ecg.js";

// The engines are reused for one input after another. The state of one input must not affect the next.
const oracle = new Oracle();
const engines = ENGINES.map((name) => createEngine(name));

const START_MS = 1_700_000_000_000;

/** The outcome of all engines, which equals that of the oracle. */
function outcome(input: Uint8Array | Uint8Array[], settings: Partial<EngineSettings>, where = ""): Outcome {
  const expected = drive(oracle, input, settings);
  for (const engine of engines) {
    expectSame(drive(engine, input, settings), expected, `${engine.name} ${where}`);
  }
  return expected;
}

/** A recording with only a waveform. */
function recordingOf(options: SyntheticEcgOptions, pieceSamples?: number): Uint8Array {
  return joined([asiInf(), ...waveformFrames(syntheticEcg(options), START_MS, pieceSamples)]);
}

/** The waveform in tenths of a second, each followed by a row at its end. */
function withRows(options: SyntheticEcgOptions): Uint8Array[] {
  const frames = waveformFrames(syntheticEcg(options), START_MS);
  return frames.flatMap((frame, i) => [frame, navPvt(civilTime(START_MS + 100 * (i + 1)))]);
}

describe("all engines find the same beats, to the bit", () => {
  it.for([100, 125, 128, 200, 250, 256, 333, 360, 500, 512, 999, 1000])("at %i Hz", (rateHz) => {
    const options = { rateHz, durationS: 40, bpm: 95, running: 0.4, prematureShare: 0.05 };
    const { beats, ecgFigures } = outcome(recordingOf(options), { output: "beats" });
    expect(beats.timestampMs.length).toBeGreaterThan(50);
    expect(ecgFigures?.seconds).toBe(40);
  });

  it.for([1, -1, 7, -31])("with any gain and polarity: %i", (gain) => {
    const { beats } = outcome(recordingOf({ durationS: 60, gain: 1000 * gain }), { output: "beats" });
    const expected = drive(oracle, recordingOf({ durationS: 60 }), { output: "beats" }).beats;
    expect(beats.timestampMs).toHaveLength(expected.timestampMs.length);
    // samples with another gain are rounded differently
    for (const column of ["timestampMs", "rrMs"] as const) {
      const errors = [...beats[column]].map((value, i) => Math.abs(value - (expected[column][i] ?? 0)));
      expect(Math.max(...errors)).toBeLessThanOrEqual(1);
    }
  });

  it("do not count the seconds of gaps that end on a second boundary", () => {
    const frames = waveformFrames(syntheticEcg({ rateHz: 250, durationS: 40 }), START_MS, 250);
    const everyOther = joined([asiInf(), ...frames.filter((_, i) => i % 2 === 0)]);
    expect(outcome(everyOther, { output: "beats" }).ecgFigures?.seconds).toBe(20);
  });

  it("for any division of the waveform into frames and of the input into chunks", () => {
    const options = { durationS: 45, bpm: 150, running: 0.5 };
    const expected = outcome(recordingOf(options, 25), { output: "beats" }).beats;
    expect(expected.timestampMs.length).toBeGreaterThan(90);
    for (const pieceSamples of [5, 125, 250, 4088]) {
      expect(outcome(recordingOf(options, pieceSamples), { output: "beats" }).beats).toEqual(expected);
    }
    const recording = recordingOf(options);
    for (const size of [1, 7, 73, 1000]) {
      expect(outcome([...pieces(recording, size)], { output: "beats" }).beats).toEqual(expected);
    }
  });

  it("with gaps, overlaps, jumps, other rates and interspersed rows, in any chunks", () => {
    let met = 0;
    for (let seed = 0; seed < examples(300); seed++) {
      const input = disturbed(seed);
      const random = seededRandom(seed);
      const settings: Partial<EngineSettings> = {
        output: (["beats", "columns", "csv", "none"] as const)[seed % 4] ?? "csv",
        hr: (["auto", "ecg", "device"] as const)[random(3)] ?? "auto",
        analysesEcg: random(2) === 0,
        fillHrMs: random(2) * 3000,
      };
      const { beats } = outcome(randomChunks(input, random), settings, `seed ${seed}`);
      met += beats.timestampMs.length;
    }
    expect(met).toBeGreaterThan(10 * examples(300));
  });
});

/** A waveform with lost, duplicate, late and early pieces and other rates, with rows and readings between them. */
function disturbed(seed: number): Uint8Array {
  const random = seededRandom(seed ^ 0xecc);
  const frames: Uint8Array[] = [asiInf()];
  let ms = START_MS;
  for (let part = 0; part < 3; part++) {
    const rateHz = [250, 250, 250, 128, 500, 99, 1001, 0][random(8)] ?? 250;
    const ecg = syntheticEcg({
      seed: seed + part,
      rateHz: Math.max(50, rateHz),
      durationS: 12 + random(10),
      bpm: 50 + random(140),
      running: random(2) * 0.4,
      gain: [1, 30, 1000, -20_000][random(4)] ?? 1,
    });
    const size = 5 + random(200);
    for (let at = 0; at < ecg.samples.length; at += size) {
      const event = random(400);
      if (event === 0) ms += random(3000);
      if (event === 1) ms += random(20_000);
      if (event === 2) ms -= random(3000);
      if (event === 3) ms += 4_000_000 - random(500_000);
      if (event === 4) ms -= 30_000;
      if (event === 5) continue;
      const piece = ecgRaw({
        timeMs: ms + random(3),
        sampleRateHz: rateHz,
        samples: event === 6 ? [] : ecg.samples.slice(at, at + size),
      });
      frames.push(piece);
      if (event === 7) frames.push(piece);
      ms += Math.round((size * 1000) / Math.max(50, rateHz));
      if (random(3) === 0) frames.push(navPvt(civilTime(ms + random(200) - 100)));
      if (event === 8) frames.push(ecgHr({ timeMs: ms, beatsPerMinute: random(3) * 70 }));
      if (event === 9) frames.push(ecgRaw({ timeMs: 2n ** 64n - 1n, samples: [1, 2, 3] }));
    }
  }
  return joined(frames);
}

describe("a derived heart rate", () => {
  const ecg: SyntheticEcgOptions = { durationS: 30, bpm: 90 };

  it("is in one row per second, starting at the sixth second", () => {
    const { columns, report } = outcome(joined([asiInf(), ...withRows(ecg)]), { output: "columns" });
    const seconds = columns.hr.flatMap((hr, i) => (hr > 0 ? [(i + 1) / 10] : []));
    expect(seconds[0]).toBeLessThanOrEqual(7);
    expect(seconds.length).toBeGreaterThan(22);
    expect(seconds).toEqual(seconds.map((_, i) => (seconds[0] ?? 0) + i));
    for (const hr of columns.hr.filter((hr) => hr > 0)) expect(Math.abs(hr - 90)).toBeLessThan(4);
    expect(report.rows.withDerivedHr).toBe(report.rows.withHr);
  });

  it("depends only on earlier data: the rest of the recording does not change it", () => {
    const whole = withRows(ecg);
    const { hr } = outcome(joined([asiInf(), ...whole]), { output: "columns" }).columns;
    for (const rows of [100, 155, 201]) {
      const begun = outcome(joined([asiInf(), ...whole.slice(0, 2 * rows)]), { output: "columns" }).columns;
      expect(begun.hr).toEqual(hr.slice(0, rows));
    }
  });

  it("ends at the first reading of the device", () => {
    const frames = withRows(ecg);
    const reading = (ms: number, bpm: number) => ecgHr({ timeMs: START_MS + ms, beatsPerMinute: bpm });
    // a frame without a reading changes nothing
    const input = joined([
      asiInf(),
      ...frames.slice(0, 200),
      reading(10_000, 0),
      ...frames.slice(200, 400),
      reading(20_000, 60),
      ...frames.slice(400),
    ]);
    const { hr } = outcome(input, { output: "columns", hr: "auto" }).columns;
    expect(hr.slice(110, 200).filter((bpm) => bpm > 0)).toHaveLength(9);
    expect(hr.slice(200).filter((bpm) => bpm > 0)).toEqual([60]);

    expect(outcome(input, { output: "columns", hr: "device" }).columns.hr.filter((bpm) => bpm > 0)).toEqual([
      60,
    ]);
    const derived = outcome(input, { output: "columns", hr: "ecg" });
    expect(derived.columns.hr.filter((bpm) => bpm > 0).length).toBeGreaterThan(22);
    expect(derived.columns.hr).not.toContain(60);
    expect(derived.report.rows.withDerivedHr).toBe(derived.report.rows.withHr);
  });

  it("is absent from a recording that begins with heart rates of the device", () => {
    const frames = withRows(ecg);
    const first = ecgHr({ timeMs: START_MS, beatsPerMinute: 61 });
    const input = joined([asiInf(), first, ...frames]);
    const { csv, report } = outcome(input, { output: "csv", hr: "auto" });
    expect(csv).toBe(outcome(input, { output: "csv", hr: "device" }).csv);
    expect(report.rows).not.toHaveProperty("withDerivedHr");
  });
});
