/** RMSSD, the variability of the heart rate, depends on the time of each beat to the millisecond. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BeatDetector } from "../src/engine/heart-rate/beat-detector.js";
import { type SyntheticEcgOptions, syntheticEcg } from "./synthetic-ecg.js";

/** RMSSD as in the library: pairs of successive intervals that differ by more than 20 % are excluded. An interval of 0 is
 * unknown. */
function rmssdOf(rrMs: readonly number[]): number {
  let sum = 0;
  let pairs = 0;
  rrMs.forEach((rr, i) => {
    const before = rrMs[i - 1] ?? 0;
    if (rr === 0 || before === 0 || Math.abs(rr - before) > 0.2 * before) return;
    sum += (rr - before) ** 2;
    pairs += 1;
  });
  return Math.sqrt(sum / pairs);
}

/** Times and intervals of the detected beats, ms. */
function foundIn(samples: Int16Array, rateHz: number): { atMs: number[]; rrMs: number[] } {
  const atMs: number[] = [];
  const rrMs: number[] = [];
  const detector = new BeatDetector({
    onBeat(n, rrS) {
      atMs.push((1000 * n) / rateHz);
      rrMs.push(1000 * rrS);
    },
    onDoubtfulBeat: () => rrMs.push(0),
    onSecond: () => {},
  });
  detector.forget(rateHz);
  detector.push(new DataView(samples.buffer, samples.byteOffset, samples.byteLength), 0, samples.length);
  detector.end();
  return { atMs, rrMs };
}

const foundIntervals = (samples: Int16Array, rateHz: number) => foundIn(samples, rateHz).rrMs;

/** Intervals of known beats, ms; 0 for a pause. */
const intervalsOf = (beatsMs: readonly number[]) =>
  beatsMs.slice(1).map((ms, i) => (ms - (beatsMs[i] ?? 0) < 3000 ? ms - (beatsMs[i] ?? 0) : 0));

describe("RMSSD of the detected beats is within 10 % of that of the true beats", () => {
  it.for<[string, SyntheticEcgOptions]>([
    ["at rest", { durationS: 300, bpm: 75 }],
    ["with hum", { durationS: 300, bpm: 75, hum: 0.3 }],
    ["while walking", { durationS: 300, bpm: 75, running: 0.5 }],
    ["while running", { durationS: 300, bpm: 150, running: 0.5 }],
    [
      "while running, with a drifting baseline and hum",
      { durationS: 300, bpm: 170, running: 0.5, drift: 0.5, hum: 0.1 },
    ],
  ])("%s", ([, options]) => {
    const { rateHz, samples, beatsS } = syntheticEcg(options);
    const truth = rmssdOf(intervalsOf(beatsS.map((s) => 1000 * s)));
    const found = rmssdOf(foundIntervals(Int16Array.from(samples), rateHz));
    expect(Math.abs(found / truth - 1)).toBeLessThan(0.1);
  });
});

it("beats are found within 3 ms (standard deviation), and RMSSD within 12 %, if noise from steps and muscles is as strong as the R waves", () => {
  // the maxima of the envelope are 10 ms off here, as measured in the running recording of docs/heart-rate.md
  const { rateHz, samples, beatsS } = syntheticEcg({ durationS: 300, bpm: 150, running: 1.2, drift: 0.3 });
  const { atMs, rrMs } = foundIn(Int16Array.from(samples), rateHz);
  expect(atMs.length).toBe(beatsS.length);
  const truth = rmssdOf(intervalsOf(beatsS.map((s) => 1000 * s)));
  expect(Math.abs(rmssdOf(rrMs) / truth - 1)).toBeLessThan(0.12);
  const errorsMs = atMs.map((ms, i) => ms - 1000 * (beatsS[i] ?? 0));
  const mean = errorsMs.reduce((sum, error) => sum + error) / errorsMs.length;
  const variance = errorsMs.reduce((sum, error) => sum + (error - mean) ** 2, 0) / errorsMs.length;
  expect(Math.sqrt(variance)).toBeLessThan(3);
  expect(Math.abs(mean)).toBeLessThan(10);
});

const FOLDER = fileURLToPath(new URL("../../shared/corpus/ecg/", import.meta.url));

// Record 104 is excluded, because it is of a paced heart, whose QRS complexes change their shape from beat to beat.
describe.skipIf(!existsSync(FOLDER))("RMSSD of annotated records of real hearts is within 5 %", () => {
  it.for(["mitdb_100", "mitdb_108", "mitdb_119", "mitdb_208", "mitdb_231"])("%s", (name) => {
    const { rate, beats } = JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")) as {
      rate: number;
      beats: number[];
    };
    const samples = new Int16Array(new Uint8Array(readFileSync(`${FOLDER}${name}.i16`)).buffer);
    const truth = rmssdOf(intervalsOf(beats.map((n) => (1000 * n) / rate)));
    expect(Math.abs(rmssdOf(foundIntervals(samples, rate)) / truth - 1)).toBeLessThan(0.05);
  });
});
