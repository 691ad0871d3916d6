import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { detect, f1, NO_SCORE, scoreOf, sumOf } from "../bench/beat-score.js";
import { seededRandom } from "./mutations.js";
import { type SyntheticEcgOptions, syntheticEcg } from "./synthetic-ecg.js";

const MINUTE_S = 60;

function scoreOfSynthetic(options: SyntheticEcgOptions) {
  const { rateHz, samples, beatsS } = syntheticEcg(options);
  const record = {
    rateHz,
    samples: Int16Array.from(samples),
    beats: beatsS.map((s) => Math.round(s * rateHz)),
  };
  return scoreOf(record, detect(record));
}

describe("the detector finds exactly the beats of a generated ECG", () => {
  it.for<[string, SyntheticEcgOptions]>([
    ["at rest", { durationS: 5 * MINUTE_S, bpm: 52 }],
    ["upside down", { durationS: 5 * MINUTE_S, gain: -700 }],
    ["in a signal of a few units", { durationS: 5 * MINUTE_S, gain: 40 }],
    ["at 200 beats per minute", { durationS: 5 * MINUTE_S, bpm: 200 }],
    ["at 36 beats per minute", { durationS: 5 * MINUTE_S, bpm: 36 }],
    ["while running", { durationS: 5 * MINUTE_S, bpm: 165, running: 0.6 }],
    ["with a drifting baseline and hum", { durationS: 5 * MINUTE_S, drift: 3, hum: 0.2 }],
    ["with one premature beat in ten", { durationS: 5 * MINUTE_S, prematureShare: 0.1 }],
    ["with clipped R waves", { durationS: 5 * MINUTE_S, limits: [-300, 600] }],
    ["at 100 Hz", { durationS: 5 * MINUTE_S, rateHz: 100, running: 0.3 }],
    ["at 1000 Hz", { durationS: 2 * MINUTE_S, rateHz: 1000, running: 0.3 }],
  ])("%s", ([, options]) => {
    const score = scoreOfSynthetic(options);
    expect({ missed: score.missed, extra: score.extra }).toEqual({ missed: 0, extra: 0 });
    if ((options.prematureShare ?? 0) === 0) {
      expect(score.readings / score.seconds).toBeGreaterThan(0.97);
      // the generated heart rate varies by 3 %, and a reading lags behind it
      expect(score.errorBpm / score.readings).toBeLessThan(0.012 * (options.bpm ?? 75));
      expect(score.close).toBe(score.readings);
    }
  });
});

/** Half a minute of a good signal, `seconds` of a different signal, then the good signal again. */
function interrupted(seconds: number, sample: (i: number) => number) {
  const rateHz = 250;
  const { samples } = syntheticEcg({ durationS: 60, rateHz, bpm: 80 });
  const middle = Array.from({ length: seconds * rateHz }, (_, i) => sample(i));
  const whole = [...samples.slice(0, 30 * rateHz), ...middle, ...samples.slice(30 * rateHz)];
  const found = detect({ rateHz, samples: Int16Array.from(whole) });
  return {
    before: found.seconds.slice(10, 30),
    /** Starts 8 s after the signal has disappeared, because a reading covers this time. */
    during: found.seconds.slice(38, 30 + seconds),
    after: found.seconds.slice(30 + seconds + 12),
  };
}

describe("there is no heart rate", () => {
  const random = seededRandom(5);
  it.for<[string, (i: number) => number]>([
    ["on a flat line", () => 0],
    ["on a flat line that is not zero", () => -12_345],
    ["on a saturated signal", () => 32_767],
    ["on white noise", () => random(2001) - 1000],
    ["on loud noise", () => random(65_536) - 32_768],
    [
      "on the noise of an electrode that is not connected",
      (i) => Math.round(3000 * Math.sin(i / 70)) + random(7),
    ],
    ["on mains hum", (i) => Math.round(2000 * Math.sin((2 * Math.PI * 50 * i) / 250))],
    ["on a signal that jumps between its limits", (i) => (i % 5 < 2 ? 32_767 : -32_768)],
  ])("%s; it is available again when the signal returns", ([, sample]) => {
    const { before, during, after } = interrupted(60, sample);
    expect(before.every(({ bpm }) => bpm > 70 && bpm < 90)).toBe(true);
    expect(during.filter(({ bpm }) => bpm > 0)).toEqual([]);
    expect(after.length).toBeGreaterThan(10);
    expect(after.every(({ bpm }) => bpm > 70 && bpm < 90)).toBe(true);
  });

  it("in the first seconds, or where samples are missing", () => {
    const { samples, rateHz } = syntheticEcg({ durationS: 10 });
    const { seconds } = detect({ rateHz, samples: Int16Array.from(samples) });
    expect(seconds.slice(0, 4).map(({ bpm }) => bpm)).toEqual([0, 0, 0, 0]);
    expect(detect({ rateHz, samples: new Int16Array(0) })).toEqual({ beats: [], seconds: [] });
  });
});

const FOLDER = fileURLToPath(new URL("../../shared/corpus/ecg/", import.meta.url));

describe.skipIf(!existsSync(FOLDER))("annotated records of real hearts", () => {
  it("are detected with a total F1 of 99.9 %", () => {
    let all = NO_SCORE;
    for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".json"))) {
      const { rate, beats } = JSON.parse(readFileSync(FOLDER + file, "utf8")) as {
        rate: number;
        beats: number[];
      };
      if (beats.length === 0) continue;
      const bytes = readFileSync(FOLDER + file.replace(/json$/, "i16"));
      const samples = new Int16Array(new Uint8Array(bytes).buffer);
      const record = { rateHz: rate, samples, beats };
      all = sumOf(all, scoreOf(record, detect(record)));
    }
    expect(all.found).toBeGreaterThan(5000);
    expect(f1(all)).toBeGreaterThan(99.9);
    expect(all.readings / all.seconds).toBeGreaterThan(0.97);
    expect(all.close / all.readings).toBeGreaterThan(0.995);
  });
});
