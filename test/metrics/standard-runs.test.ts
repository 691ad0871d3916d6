import { describe, expect, it } from "vitest";
import {
  heartRateResponse,
  STANDARD_RUNS_CAUTION,
  standardRunChanges,
  standardRuns,
} from "../../src/metrics/index.js";
import { validSpeeds } from "../../src/metrics/prepare.js";
import { typicalError } from "../../src/metrics/standard-runs/changes.js";
import { secondsOf } from "../../src/metrics/standard-runs/seconds.js";
import { thrown } from "../whole.js";
import { CORPUS, expected, rowsOf } from "./figures/corpus.js";
import { gaussOf, xorshift } from "./figures/planted.js";
import { columnsOf, type TestSample } from "./golden/sessions.js";

/** One sample a second. */
const seconds = (speeds: readonly number[], hr = 140): TestSample[] =>
  speeds.map((speed, k) => ({ t: 1000 * k, speed, hr }));
const constant = (length: number, speed: number) => Array.from({ length }, () => speed);
const runsOf = (samples: readonly TestSample[]) =>
  standardRuns(columnsOf(samples)).runs.map(({ start_time, duration }) => [start_time, duration]);

describe("a standard run", () => {
  it("is at least 240 s long", () => {
    expect(runsOf(seconds(constant(239, 3000)))).toEqual([]);
    expect(runsOf(seconds(constant(240, 3000)))).toEqual([[0, 240]]);
    // a second of standing on each side changes a mean of 10 s by 10 %
    const still = constant(30, 0);
    expect(runsOf(seconds([...still, ...constant(300, 3000), ...still]))).toEqual([[29_000, 302]]);
  });

  it("has a mean of 2.5 to 4.5 m/s", () => {
    for (const [speed, count] of [
      [2499, 0],
      [2500, 1],
      [4500, 1],
      [4501, 0],
    ] as const) {
      expect(runsOf(seconds(constant(240, speed)))).toHaveLength(count);
    }
  });

  it("has means of 10 s within 10 % of its mean, and is extended while this is true", () => {
    const run = constant(300, 3000);
    // after 10 s at 3.4 m/s, the mean is 3.0129, and 3.3 m/s is reached with the eighth second
    expect(runsOf(seconds([...run, ...constant(10, 3400), ...run]))).toEqual([[0, 307], expect.anything()]);
    expect(runsOf(seconds([...run, ...constant(10, 3300), ...run]))).toEqual([[0, 610]]);
  });

  it("ends at a gap; a single second without a sample is not a gap", () => {
    const samples = seconds(constant(600, 3000));
    expect(runsOf(samples.filter(({ t }) => t < 250_000 || t >= 256_000))).toEqual([
      [0, 250],
      [256_000, 344],
    ]);
    expect(runsOf(samples.filter(({ t }) => t !== 250_000))).toEqual([[0, 600]]);
    expect(runsOf(samples.filter(({ t }) => t !== 250_000 && t !== 251_000))).toEqual([
      [0, 250],
      [252_000, 348],
    ]);
  });

  it("has the mean of the heart rates of its last 30 s, if at least 27 of them are known", () => {
    const run = (isHeard: (k: number) => boolean) =>
      constant(300, 3000).map((speed, k) => ({
        t: 1000 * k,
        speed,
        hr: isHeard(k) ? (k < 285 ? 150 : 151) : 0,
      }));
    const rateOf = (samples: readonly TestSample[]) => standardRuns(columnsOf(samples)).runs[0]?.heart_rate;
    expect(rateOf(run(() => true))).toBe(150.5);
    // the heart rate is valid for 5 s, which ends with the fourth second after it, so the next seven are not known
    expect(rateOf(run((k) => k < 271 || k >= 282))).toBe(null);
    expect(rateOf(run((k) => k < 275 || k >= 282))).not.toBe(null);
  });

  it("is found with only a few reads of each time, even if gaps divide the session into many stretches", () => {
    const stretches = 2000;
    // 5 s, then a gap of a minute
    const samples = columnsOf(
      Array.from({ length: 5 * stretches }, (_, k) => ({
        t: 1000 * (k + 60 * Math.floor(k / 5)),
        speed: 3000,
        hr: 140,
      })),
    );
    let reads = 0;
    const timestampMs = new Proxy(samples.timestampMs, {
      get(times, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) {
          reads++;
          return times[Number(key)];
        }
        // methods of arrays also work for the proxy, so their reads are counted
        const method: unknown = Reflect.get(Array.prototype, key);
        return typeof method === "function" ? method : Reflect.get(times, key);
      },
    });
    const speeds = validSpeeds(samples, { maxValidMmPerS: 12_500 });
    const seconds = secondsOf({ ...samples, timestampMs }, speeds);
    expect(seconds.length).toBe(stretches);
    expect(seconds.every(({ heartRate }) => heartRate.every((bpm) => bpm === 140))).toBe(true);
    expect(reads).toBeLessThan(10 * samples.length);
  });

  it("is labelled as experimental, with its definition", () => {
    const { runs, caution, definition } = standardRuns([]);
    expect([runs, caution, definition.version]).toEqual([[], STANDARD_RUNS_CAUTION, 1]);
    expect(caution).toMatch(/^Experimental: /);
  });

  it("is searched for in at most 72 hours", () => {
    const long = Array.from({ length: 73 * 15 + 1 }, (_, k) => ({ t: 240_000 * k, speed: 3000 }));
    expect(thrown(() => standardRuns(columnsOf(long)))).toMatchObject({
      code: "BAD_ARGUMENT",
      message: expect.stringMatching(/cover 73 hours; .* at most 72/),
    });
  });
});

describe("changes of standard runs", () => {
  const run = (heart_rate: number | null, mean_speed = 3.3) => ({ heart_rate, mean_speed });
  const baseline = [150, 152, 151, 153, 150, 152].map((rate) => run(rate));

  it("are reported with the typical error of at least 6 runs", () => {
    // successive differences 2 -1 2 -3 2: mean 0.4, squares 21.2, /4, /2, root 1.6279
    expect(standardRunChanges(baseline, [run(148), run(160)])).toEqual({
      baseline_runs: 6,
      baseline_heart_rate: 151.3,
      typical_error: 1.6,
      limit: 4.6,
      changes: [-3.3, 8.7],
    });
    expect(standardRunChanges(baseline.slice(1))).toMatchObject({ typical_error: null, limit: null });
  });

  it("compare only runs within 0.2 m/s", () => {
    const { baseline_runs, changes } = standardRunChanges(
      [...baseline, run(180, 3.6), run(null)],
      [run(148, 3.5), run(148, 3.51), run(null)],
    );
    expect([baseline_runs, changes]).toEqual([6, [-3.3, null, null]]);
  });

  it("are empty if there are no runs, and a value that is not a run is refused", () => {
    expect(standardRunChanges([], [run(150)])).toMatchObject({ baseline_heart_rate: null, changes: [null] });
    expect(thrown(() => standardRunChanges([{ heart_rate: 150 } as never]))).toMatchObject({
      code: "BAD_ARGUMENT",
    });
  });
});

/** Sessions as in figures.md: a run of 5 minutes at 3.333 m/s, heart rate 60 + 27 v with a delay of 40 s and a day effect. */
function plantedSessions(): { samples: TestSample[]; effect: number }[] {
  const uniform = xorshift(77);
  return Array.from({ length: 24 }, (_, session) => {
    const effect = 2.5 * gaussOf(uniform) - (session >= 12 ? 6 : 0);
    const samples: TestSample[] = [];
    let hr = 80;
    for (let i = 0; i < 6600; i++) {
      const s = i * 0.1;
      const v = s < 60 ? 0 : s < 360 ? 3.333 : s < 420 ? 0.5 : 2.2 + 1.6 * Math.sin(s / 7);
      hr += ((60 + 27 * v + effect - hr) * 0.1) / 40;
      if (i % 10 !== 0) continue;
      const speed = Math.max(0, Math.floor(1000 * (v + 0.05 * gaussOf(uniform)) + 0.5));
      samples.push({ t: 100 * i, speed, hr: Math.floor(hr + 0.8 * gaussOf(uniform) + 0.5) });
    }
    return { samples, effect };
  });
}

describe("the planted sessions", () => {
  const planted = plantedSessions();
  const runs = planted.map(({ samples }) => standardRuns(columnsOf(samples)).runs);

  it("have one run each, at the planted time, with the effect of the day in its heart rate", () => {
    expect(runs.map((found) => found.length)).toEqual(planted.map(() => 1));
    const errors = runs.map(
      ([run], i) => (run?.heart_rate ?? 0) - (60 + 27 * 3.333 + (planted[i]?.effect ?? 0)),
    );
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    expect(Math.abs(mean)).toBeLessThan(0.3);
    expect(Math.max(...errors.map((error) => Math.abs(error - mean)))).toBeLessThan(0.6);
  });

  it("show the planted slope and the day effects as residuals", () => {
    const response = heartRateResponse(
      planted.map(({ samples }) => columnsOf(samples)),
      12,
    );
    expect(response?.slope).toBeGreaterThan(26.8);
    expect(response?.slope).toBeLessThan(27.3);
    const base = planted.slice(0, 12).reduce((sum, { effect }) => sum + effect, 0) / 12;
    response?.residuals.forEach((residual, i) => {
      expect(Math.abs((residual ?? 99) - ((planted[i]?.effect ?? 0) - base))).toBeLessThan(0.35);
    });
  });

  it("have no regression line if no session contains movement; an invalid baseline is refused", () => {
    expect(heartRateResponse([columnsOf(seconds(constant(60, 3000)))], 1)).toBeNull();
    expect(thrown(() => heartRateResponse([], 0))).toMatchObject({ code: "BAD_ARGUMENT" });
  });
});

interface Golden {
  regression: {
    slope_bpm_per_m_s: number;
    intercept_bpm: number;
    mean_residual_by_session: number[];
    change_13_24: number;
    truth: { slope: number; intercept: number };
  };
  mean_13_24: number;
  observed_change_bpm: number;
  sessions: { runs: { start_s: number; end_s: number; mean_speed_m_s: number; hr_last_30_s: number }[] }[];
  typical_error_sessions_1_12: number;
  baseline_mean: number;
}

describe.skipIf(CORPUS === null)(
  "the sessions of the corpus have the results of the independent program",
  () => {
    const half = (value: number, digits: number) => Math.floor(value * 10 ** digits + 0.5) / 10 ** digits;
    const golden = CORPUS === null ? null : expected<Golden>("standard_runs.json");
    const rows = CORPUS === null ? [] : rowsOf(`${CORPUS}data/planted_standard_runs.csv`);
    const sessions = (golden?.sessions ?? []).map((_, i) =>
      columnsOf(
        rows
          .filter(([session]) => session === i + 1)
          .map(([, t = 0, speed = 0, hr = 0]) => ({ t, speed, hr })),
      ),
    );
    const found = sessions.map((samples) => standardRuns(samples).runs);

    it("including every run", () => {
      expect(found).toEqual(
        golden?.sessions.map(({ runs }) =>
          runs.map(({ start_s, end_s, mean_speed_m_s, hr_last_30_s }) => ({
            start_time: 1000 * start_s,
            duration: end_s - start_s,
            mean_speed: half(mean_speed_m_s, 3),
            heart_rate: half(hr_last_30_s, 1),
          })),
        ),
      );
    });

    it("including its typical error and baseline", () => {
      const first = golden?.sessions.slice(0, 12).map(({ runs }) => runs[0]?.hr_last_30_s ?? 0) ?? [];
      expect(Math.abs(typicalError(first) - (golden?.typical_error_sessions_1_12 ?? 0))).toBeLessThan(1e-9);
      const { baseline_runs, baseline_heart_rate } = standardRunChanges(found.slice(0, 12).flat());
      expect([baseline_runs, baseline_heart_rate]).toEqual([12, half(golden?.baseline_mean ?? 0, 1)]);
      const later = found.slice(12).map((runs) => runs[0]?.heart_rate ?? 0);
      const mean = later.reduce((sum, heartRate) => sum + heartRate, 0) / later.length;
      expect(mean).toBeCloseTo(golden?.mean_13_24 ?? 0, 1);
      expect(mean - (baseline_heart_rate ?? 0)).toBeCloseTo(golden?.observed_change_bpm ?? 0, 1);
    });

    it("including its regression", () => {
      const response = heartRateResponse(sessions, 12);
      const { truth, change_13_24 = 0 } = golden?.regression ?? {};
      const later = response?.residuals.slice(12) ?? [];
      expect(later.reduce((sum: number, residual) => sum + (residual ?? 0), 0) / later.length).toBeCloseTo(
        change_13_24,
        1,
      );
      expect(Math.abs((response?.slope ?? 0) - (truth?.slope ?? 0))).toBeLessThan(0.1);
      expect(Math.abs((response?.intercept ?? 0) - (truth?.intercept ?? 0))).toBeLessThan(1);
      expect(response).toEqual({
        slope: half(golden?.regression.slope_bpm_per_m_s ?? 0, 2),
        intercept: half(golden?.regression.intercept_bpm ?? 0, 1),
        residuals: golden?.regression.mean_residual_by_session.map((residual) => half(residual, 1)),
      });
    });
  },
);
