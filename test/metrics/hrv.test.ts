import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { correctIntervals, labelArtefacts } from "../../src/metrics/hrv/artefacts.js";
import { dfaAlpha1, dfaOverTime } from "../../src/metrics/hrv/dfa.js";
import {
  heartRateVariability,
  LF_HF_CAUTION,
  timeDomain,
} from "../../src/metrics/hrv/heart-rate-variability.js";
import { lowHighPower } from "../../src/metrics/hrv/lomb.js";
import { CORPUS, committed, expected } from "./figures/corpus.js";
import { plantedArtefacts, plantedSinus, plantedWhiteNoise } from "./figures/planted.js";

// expected/hrv.json was computed by a program that shares no code with the library, and compared with the original code of hrv
// (rhenanbartels), nolds, NeuroKit and scipy. rest_rri.txt and exercise_rri.txt are from hrv (BSD-3: figures/licences/hrv.md).

interface TimeFigures {
  n: number;
  mean_rr: number;
  mean_hr: number;
  nn50: number;
  sdnn: number;
  rmssd: number;
  pnn50_of_pairs: number;
}
interface Window {
  end_s: number;
  beats: number;
  artefacts_percent: number;
  alpha1: number | null;
  mean_hr: number;
}
interface Series {
  raw: TimeFigures;
  labels: [number, string][];
  corrected: TimeFigures;
  label_counts?: Record<string, number>;
  dfa_raw?: number;
  dfa_windows?: Window[];
  dfa_windows_60_s?: Window[];
}

const golden = expected<
  Record<"rr_artefacts" | "rest_rri" | "exercise_rri", Series> & {
    rr_white: { alpha1: number };
    rr_sinus: { lomb: { lf: number; hf: number; lf_hf: number; beats: number }; time: TimeFigures };
    rest_rri: { lomb_first_300_s: { lf: number; hf: number; lf_hf: number; beats: number } };
  }
>("hrv.json");

const intervalsIn = (name: string) =>
  readFileSync(new URL(`figures/data/${name}`, import.meta.url), "utf8")
    .trim()
    .split(/\s+/)
    .filter((text) => /^\d/.test(text))
    .map(Number);

const SERIES: Record<"rr_artefacts" | "rest_rri" | "exercise_rri", number[]> = {
  rr_artefacts: plantedArtefacts(),
  rest_rri: intervalsIn("rest_rri.txt"),
  exercise_rri: intervalsIn("exercise_rri.txt"),
};

function expectTimeFigures(rr: ArrayLike<number>, wanted: TimeFigures): void {
  const figures = timeDomain([Float64Array.from(rr)]);
  expect(rr.length).toBe(wanted.n);
  expect(figures?.meanRr).toBeCloseTo(wanted.mean_rr, 9);
  expect(60_000 / (figures?.meanRr ?? 1)).toBeCloseTo(wanted.mean_hr, 9);
  expect(figures?.rmssd).toBeCloseTo(wanted.rmssd, 9);
  expect(figures?.sdnn).toBeCloseTo(wanted.sdnn, 9);
  expect(figures?.pnn50).toBeCloseTo(wanted.pnn50_of_pairs, 9);
  expect(((figures?.pnn50 ?? 0) * (wanted.n - 1)) / 100).toBeCloseTo(wanted.nn50, 9);
}

describe.each(["rr_artefacts", "rest_rri", "exercise_rri"] as const)("the intervals of %s", (name) => {
  const rr = SERIES[name];
  const wanted = golden[name];
  const labels = labelArtefacts(rr);

  it("have the artefacts found by the independent program", () => {
    expect(labels.flatMap((label, i) => (label === null ? [] : [[i, label]]))).toEqual(wanted.labels);
    for (const [label, count] of Object.entries(wanted.label_counts ?? {}))
      expect(labels.filter((own) => own === label)).toHaveLength(count);
  });

  it("have the RMSSD, SDNN and pNN50 of that program, as recorded and corrected", () => {
    expectTimeFigures(rr, wanted.raw);
    expectTimeFigures(correctIntervals(rr, labels), wanted.corrected);
  });

  it("have the alpha 1 of that program in each window", () => {
    const windows = dfaOverTime(rr, labels, wanted.dfa_windows === undefined ? 60_000 : 5000);
    const theirs = wanted.dfa_windows ?? wanted.dfa_windows_60_s ?? [];
    expect(windows.length).toBe(theirs.length);
    windows.forEach(({ endMs, beats, artefactsPercent, alpha1, meanHeartRate }, i) => {
      const their = theirs[i];
      expect([endMs / 1000, beats]).toEqual([their?.end_s, their?.beats]);
      expect(artefactsPercent).toBeCloseTo(their?.artefacts_percent ?? 0, 9);
      expect(meanHeartRate).toBeCloseTo(their?.mean_hr ?? 0, 9);
      if (alpha1 === null) expect(their?.alpha1).toBeNull();
      else expect(alpha1).toBeCloseTo(their?.alpha1 ?? 0, 9);
    });
    if (wanted.dfa_raw !== undefined) expect(dfaAlpha1(rr)).toBeCloseTo(wanted.dfa_raw, 9);
  });
});

describe("alpha 1 over time", () => {
  it("omits windows of fewer than 16 beats, so long intervals do not result in millions of windows", () => {
    expect(dfaOverTime(Float64Array.from({ length: 10_000 }, () => 60_000))).toEqual([]);
    expect(dfaOverTime(Float64Array.from({ length: 32 }, () => 7500))).toHaveLength(25);
  });
});

describe("published implementations", () => {
  interface Upstream {
    n: number;
    time_domain: { rmssd: number; sdnn: number; nn50: number; mrri: number };
  }
  const hrv = expected<Record<"rest" | "exercise", Upstream>>("upstream_hrv_rhenanbartels.json");
  const nolds = expected<Record<"rest_rri" | "rr_white" | "rr_artefacts", number>>("upstream_nolds_dfa.json");

  it.each([
    ["rest", SERIES.rest_rri],
    ["exercise", SERIES.exercise_rri],
  ] as const)("hrv returns the same RMSSD, SDNN and number of differences above 50 ms: %s", (name, rr) => {
    const { n, time_domain: theirs } = hrv[name];
    const figures = timeDomain([Float64Array.from(rr)]);
    expect(rr.length).toBe(n);
    expect(figures?.meanRr).toBeCloseTo(theirs.mrri, 9);
    expect(figures?.rmssd).toBeCloseTo(theirs.rmssd, 9);
    expect(figures?.sdnn).toBeCloseTo(theirs.sdnn, 9);
    // hrv divides by the number of intervals instead of pairs
    expect(((figures?.pnn50 ?? 0) * (n - 1)) / 100).toBeCloseTo(theirs.nn50, 9);
  });

  it("nolds returns the same alpha 1", () => {
    expect(dfaAlpha1(SERIES.rest_rri)).toBeCloseTo(nolds.rest_rri, 12);
    expect(dfaAlpha1(plantedWhiteNoise())).toBeCloseTo(nolds.rr_white, 12);
    expect(dfaAlpha1(SERIES.rr_artefacts)).toBeCloseTo(nolds.rr_artefacts, 12);
  });

  it.skipIf(CORPUS === null).each(["upstream_hrv_rhenanbartels.json", "upstream_nolds_dfa.json"])(
    "%s equals that of the corpus",
    (name) => expect(JSON.parse(committed(name))).toEqual(expected(name)),
  );
});

describe("generated intervals", () => {
  it("have the alpha 1 of white noise if they are white noise", () => {
    expect(dfaAlpha1(plantedWhiteNoise())).toBeCloseTo(golden.rr_white.alpha1, 9);
  });

  it("have the powers of the two waves from which they were generated, within half a percent", () => {
    const power = lowHighPower(plantedSinus());
    expect(power?.low).toBeCloseTo(golden.rr_sinus.lomb.lf, 8);
    expect(power?.high).toBeCloseTo(golden.rr_sinus.lomb.hf, 8);
    expect(power?.beats).toBe(golden.rr_sinus.lomb.beats);
    expect((power?.low ?? 0) / (power?.high ?? 1)).toBeCloseTo(golden.rr_sinus.lomb.lf_hf, 9);
    expectTimeFigures(plantedSinus(), golden.rr_sinus.time);
  });

  it("have the LF/HF that SciPy's lombscargle computes at rest", () => {
    const { lf, hf, lf_hf, beats } = golden.rest_rri.lomb_first_300_s;
    const power = lowHighPower(SERIES.rest_rri);
    expect(power?.low).toBeCloseTo(lf, 8);
    expect(power?.high).toBeCloseTo(hf, 8);
    expect((power?.low ?? 0) / (power?.high ?? 1)).toBeCloseTo(lf_hf, 9);
    expect(power?.beats).toBe(beats);
  });

  it("contain the planted artefacts: beats 60, 200, 340 early, 120 missed, 259 extra", () => {
    const labels = labelArtefacts(plantedArtefacts());
    expect([labels[61], labels[200], labels[341], labels[120], labels[259]]).toEqual([
      "ectopic",
      "ectopic",
      "ectopic",
      "missed",
      "extra",
    ]);
  });

  it.skipIf(CORPUS === null)("equal those of the corpus", () => {
    for (const [name, own] of [
      ["rr_sinus.csv", plantedSinus()],
      ["rr_white.csv", plantedWhiteNoise()],
      ["rr_artefacts.csv", plantedArtefacts()],
    ] as const) {
      const theirs = readFileSync(`${CORPUS}data/${name}`, "utf8").trim().split("\n").slice(1).map(Number);
      expect(own).toEqual(theirs);
    }
    expect(JSON.parse(committed("hrv.json"))).toEqual(expected("hrv.json"));
  });
});

describe("heart-rate variability", () => {
  const START = 1_700_000_000_000;
  const beatsOf = (rr: readonly number[]) => {
    let t = START;
    return {
      length: rr.length,
      timestampMs: Float64Array.from(rr, (ms) => {
        t += ms > 0 ? ms : 10_000;
        return t;
      }),
      rrMs: Float64Array.from(rr),
    };
  };

  it("matches a manual computation for 20 beats that alternate between 796 and 804 ms", () => {
    const rr = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 796 : 804));
    // each pair differs by 8; the deviations from 800 are 4: sqrt(20 x 16 / 19)
    expect(heartRateVariability(beatsOf([0, ...rr]))).toMatchObject({
      intervals: 20,
      series: 1,
      artefacts_percent: 0,
      mean_hr: 75,
      rmssd: 8,
      sdnn: 4.1,
      pnn50: 0,
      dfa_alpha1: [],
    });
  });

  it("is unknown with fewer than 20 intervals, and without intervals", () => {
    expect(heartRateVariability(beatsOf(Array.from({ length: 19 }, () => 800)))).toMatchObject({
      intervals: 19,
      mean_hr: null,
      rmssd: null,
    });
    expect(heartRateVariability([])).toMatchObject({ intervals: 0, series: 0, artefacts_percent: null });
  });

  it("a gap ends a series: nothing is compared across it, and the window starts again", () => {
    const fast = Array.from({ length: 400 }, (_, i) => 500 + (i % 2));
    const slow = Array.from({ length: 200 }, (_, i) => 1000 + (i % 2));
    const result = heartRateVariability(beatsOf([0, ...fast, 0, ...slow]));
    expect([result.series, result.rmssd, result.artefacts_percent]).toEqual([2, 1, 0]);
    const ends = result.dfa_alpha1.map(({ end_time }) => end_time - START);
    // 10 s to the first beat; 200.2 s; 10 s; 200.1 s
    expect(ends[0]).toBe(130_000);
    expect(ends[16]).toBe(210_000);
    expect(ends[17]).toBe(10_000 + 200_200 + 10_000 + 120_000);
  });

  it("LF and HF are computed only at rest, and not with more than 5 % of artefacts", () => {
    const rest = beatsOf([0, ...SERIES.rest_rri]);
    expect(heartRateVariability(rest)).not.toHaveProperty("lf_hf");
    const { lf_hf } = heartRateVariability(rest, { atRest: true });
    expect(lf_hf?.ratio).toBeCloseTo(1, 0);
    expect(lf_hf?.caution).toBe(LF_HF_CAUTION);
    const wild = SERIES.rest_rri.map((ms, i) => (i % 10 === 5 ? ms - 250 : i % 10 === 6 ? ms + 250 : ms));
    expect(heartRateVariability(beatsOf([0, ...wild]), { atRest: true }).lf_hf).toBeNull();
    expect(heartRateVariability(beatsOf([0, ...wild.slice(0, 100)]), { atRest: true }).lf_hf).toBeNull();
  });

  it("interpolates an artefact of any length, in time proportional to its length", () => {
    const rr = Array.from({ length: 600_000 }, (_, i) => (i % 2 === 0 ? 500 : 1500));
    const labels = rr.map((_, i) => (i === 0 || i === rr.length - 1 ? null : ("ectopic" as const)));
    // from 500 to 1500 by index
    const corrected = correctIntervals(rr, labels);
    expect(corrected.length).toBe(rr.length);
    expect(corrected[1]).toBeCloseTo(500 + 1000 / 599_999, 9);
    expect(corrected[300_000]).toBeCloseTo(500 + (1000 * 300_000) / 599_999, 9);
  });

  it("is the same for beats with equal times, because only the intervals matter", () => {
    const beats = beatsOf([0, ...SERIES.rest_rri]);
    const atOnce = { ...beats, timestampMs: new Float64Array(beats.length).fill(START) };
    const { dfa_alpha1: own, ...figures } = heartRateVariability(atOnce);
    const { dfa_alpha1: wanted, ...others } = heartRateVariability(beats);
    expect(figures).toEqual(others);
    expect(own.map(({ alpha1 }) => alpha1)).toEqual(wanted.map(({ alpha1 }) => alpha1));
  });

  it("is computed for one beat, for beats without an interval, and for equal intervals", () => {
    const none = { intervals: 0, series: 0, artefacts_percent: null, mean_hr: null, rmssd: null };
    expect(heartRateVariability(beatsOf([0]))).toMatchObject({ ...none, dfa_alpha1: [] });
    expect(heartRateVariability(beatsOf([0, 0, 0]), { atRest: true })).toMatchObject({
      ...none,
      lf_hf: null,
    });
    expect(heartRateVariability(beatsOf([800]))).toMatchObject({ intervals: 1, series: 1, mean_hr: null });
    const equal = heartRateVariability(beatsOf([0, ...Array.from({ length: 500 }, () => 800)]), {
      atRest: true,
    });
    expect(equal).toMatchObject({ mean_hr: 75, rmssd: 0, sdnn: 0, pnn50: 0, lf_hf: null });
    // without fluctuation, there is no exponent
    expect(new Set(equal.dfa_alpha1.map(({ alpha1 }) => alpha1))).toEqual(new Set([null]));
  });

  it.each([-800, Number.NaN, Number.POSITIVE_INFINITY, 1e15, 5e-324, 60_001, 0.5])(
    "refuses an interval of %d ms and names its position, instead of returning wrong figures or never ending",
    (ms) => {
      const beats = beatsOf([0, 800, 800, 800]);
      beats.rrMs[2] = ms;
      expect(() => heartRateVariability(beats)).toThrow(
        `rrMs[2] is ${ms}; it must be from 1 to 60000 ms, or 0 if the interval is unknown.`,
      );
    },
  );

  it("refuses an invalid time", () => {
    const beats = beatsOf([0, 800, 800]);
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY]) {
      beats.timestampMs[1] = ms;
      expect(() => heartRateVariability(beats)).toThrow(`timestampMs[1] is ${ms}`);
    }
  });

  it("refuses values that are not beats, and unknown options", () => {
    expect(() => heartRateVariability([{ length: 3 } as never])).toThrow(/pass a batch of decodeBeats/);
    expect(() => heartRateVariability([], { rest: true } as never)).toThrow(/The option "rest" is unknown/);
  });
});
