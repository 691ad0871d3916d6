import { describe, expect, it } from "vitest";
import { METABOLIC_CAUTION } from "../../src/metrics/metabolic-power.js";
import { fitThreeParameters, fitTwoParameters } from "../../src/metrics/peaks/fits.js";
import { PEAK_AMOUNTS, type PeakAmount, peakCurve, peakDemands } from "../../src/metrics/peaks/index.js";
import { nodesOf } from "../../src/metrics/peaks/nodes.js";
import { peakOf } from "../../src/metrics/peaks/windows.js";
import { selectedSignal } from "../../src/metrics/selected-signal.js";
import { isLongForm } from "../long-form.js";
import { CORPUS, committed, expected, rowsOf, samplesIn } from "./figures/corpus.js";
import { plantedMatch, plantedStep, T0 } from "./figures/planted.js";
import { columnsOf, type TestSample, tenHertz } from "./golden/sessions.js";

// expected/ was computed in exact integers by programs that share no code with the library.

interface ExpectedPeak {
  window_s: number;
  value: number | null;
  raw?: number;
  start_ms: number | null;
  coverage: number | null;
}
interface ExpectedSession {
  peaks: Record<string, ExpectedPeak[]>;
  distance_m: number;
  energy_j_per_kg: number;
  fits: {
    power_law: { intercept_m_per_min_at_1_s: number; slope: number; r2: number };
    critical_speed_2p: { cs: number; d_prime: number; r2: number };
    curve_1s_to_600s_sum_m: number;
  };
}

const PLANTED: Record<string, () => TestSample[]> = {
  "planted_step.csv": plantedStep,
  "planted_match.csv": plantedMatch,
};
const NAMES: Record<string, PeakAmount> = {
  distance: "distance",
  high_speed: "high_speed_distance",
  metabolic: "metabolic_power",
  abs_acc: "acceleration",
  acc_count: "accelerations",
  hr_sum: "heart_rate",
};

const nodesWith = (samples: readonly TestSample[]) =>
  nodesOf(selectedSignal(columnsOf(samples), {}), { highSpeedMmPerS: 5500, metabolicPower: true });

describe.each(Object.keys(PLANTED))("peak demands of %s", (file) => {
  const samples = (PLANTED[file] ?? plantedStep)();
  const golden = expected<Record<string, ExpectedSession>>("peak_demands.json")[file];

  it("match the independent program: value, time, coverage and exact amount", () => {
    const { peaks } = peakDemands(columnsOf(samples), { metabolicPower: true, fits: false });
    const nodes = nodesWith(samples);
    for (const [theirs, ours] of Object.entries(NAMES)) {
      const wanted = golden?.peaks[theirs] ?? [];
      expect(peaks[ours], ours).toEqual(
        wanted.map(({ window_s, value, start_ms, coverage }) => ({
          window: window_s,
          value,
          start_time: start_ms,
          coverage,
        })),
      );
      expect(wanted.map(({ window_s }) => nodes && peakOf(nodes, ours, window_s)?.amount)).toEqual(
        wanted.map(({ raw }) => raw),
      );
    }
    expect((nodes?.distance[nodes.last] ?? 0) / 2e6).toBe(golden?.distance_m);
    expect((nodes?.metabolic?.[nodes.last] ?? 0) / 2e6).toBeCloseTo(golden?.energy_j_per_kg ?? 0, 3);
  });

  it("have the power law and the critical speed of the independent program", () => {
    const { power_law, critical_speed } = peakDemands(columnsOf(samples));
    const { power_law: law, critical_speed_2p: cs } = golden?.fits ?? {};
    expect(power_law?.exponent).toBeCloseTo(law?.slope ?? 0, 4);
    expect(power_law?.rate_at_60_s).toBeCloseTo(
      (law?.intercept_m_per_min_at_1_s ?? 0) * 60 ** (law?.slope ?? 0),
      1,
    );
    expect(power_law?.r2).toBeCloseTo(law?.r2 ?? 0, 4);
    expect(critical_speed?.critical_speed).toBeCloseTo(cs?.cs ?? 0, 3);
    expect(critical_speed?.d_prime).toBeCloseTo(cs?.d_prime ?? 0, 1);
    expect(critical_speed?.r2).toBeCloseTo(cs?.r2 ?? 0, 4);
  });

  it("add up to the curve of the independent program over all windows from 1 to 600 s", () => {
    const nodes = nodesWith(samples);
    const sum = Array.from({ length: 600 }, (_, i) =>
      nodes === null ? 0 : (peakOf(nodes, "distance", i + 1)?.amount ?? 0),
    ).reduce((total, amount) => total + amount, 0);
    expect(sum / 2e6).toBeCloseTo(golden?.fits.curve_1s_to_600s_sum_m ?? 0, 6);
  });

  it.runIf(file === "planted_match.csv")("have the three parameters of the independent program", () => {
    const { three } =
      expected<Record<string, Record<string, Record<string, number>>>>("critical_speed.json")[
        "planted_match, windows 1 to 600 s by 1 s"
      ] ?? {};
    const { critical_speed_3 } = peakDemands(columnsOf(samples));
    expect(critical_speed_3?.critical_speed).toBeCloseTo(three?.cs ?? 0, 3);
    expect(critical_speed_3?.d_prime).toBeCloseTo(three?.d_prime ?? 0, 1);
    expect(critical_speed_3?.max_speed).toBeCloseTo(three?.v_max ?? 0, 2);
    expect(critical_speed_3?.tau).toBeCloseTo(three?.tau ?? 0, 1);
  });

  it.skipIf(CORPUS === null)("use the same signal as the corpus", () => {
    expect(samplesIn(`${CORPUS}data/${file}`)).toEqual(samples);
    for (const name of ["peak_demands.json", "critical_speed.json"]) {
      expect(JSON.parse(committed(name))).toEqual(expected(name));
    }
  });
});

describe("peak demands of examples computed by hand", () => {
  const step = peakDemands(columnsOf(plantedStep()), { windows: [10, 30, 60, 120, 600] });
  const valuesOf = (amount: "distance" | "high_speed_distance" | "heart_rate") =>
    step.peaks[amount].map(({ value }) => value);

  it("10 s at 7 m/s in 2 m/s: 70 m in 10 s, 110.5 m in 30 s, CS 2 and D' 50.5", () => {
    expect(valuesOf("distance").slice(0, 2)).toEqual([70, 110.5]);
    expect(valuesOf("high_speed_distance").slice(0, 2)).toEqual([70, 70]);
    expect(valuesOf("heart_rate").slice(2, 4)).toEqual([180, 150]);
    expect(step.critical_speed).toEqual({ critical_speed: 2, d_prime: 50.5, r2: 1 });
    const { truth } =
      expected<Record<string, { truth: Record<string, number> }>>("peak_demands.json")["planted_step.csv"] ??
      {};
    const [of10, of30, , , of600] = valuesOf("distance");
    expect({
      distance_10_s: of10,
      distance_30_s: of30,
      distance_600_s: of600,
      high_speed_any_window_from_10_s: valuesOf("high_speed_distance")[4],
      hr_60_s: valuesOf("heart_rate")[2],
      hr_120_s: valuesOf("heart_rate")[3],
    }).toEqual(truth);
    expect(step.peaks.distance[0]).toEqual({
      window: 10,
      value: 70,
      start_time: T0 + 600_000,
      coverage: 1,
    });
  });

  it("the earliest of equal windows counts", () => {
    const { peaks } = peakDemands(columnsOf(tenHertz(301, () => 5)), { windows: [10] });
    expect(peaks.distance).toEqual([{ window: 10, value: 50, start_time: 0, coverage: 1 }]);
  });

  it("a window with less than 90 % coverage does not count, and a gap adds nothing", () => {
    // 10 s at 5 m/s, a gap of 2.1 s, 10 s at 5 m/s
    const samples = tenHertz(222, () => 5).filter((_, k) => k <= 100 || k >= 121);
    const { peaks } = peakDemands(columnsOf(samples), { windows: [15, 20, 22] });
    expect(peaks.distance).toEqual([
      { window: 15, value: null, start_time: null, coverage: null },
      { window: 20, value: null, start_time: null, coverage: null },
      { window: 22, value: 99.5, start_time: 0, coverage: 0.9045 },
    ]);
  });

  it("results are unknown without samples, and for accelerations below 5 Hz", () => {
    const none = { window: 1, value: null, start_time: null, coverage: null };
    expect(peakDemands([], { windows: [1] })).toMatchObject({
      peaks: { distance: [none], heart_rate: [none] },
      power_law: null,
      critical_speed: null,
      critical_speed_3: null,
    });
    const slow = Array.from({ length: 30 }, (_, i) => ({ t: 1000 * i, speed: 3000 }));
    const { peaks } = peakDemands(columnsOf(slow), { windows: [1] });
    expect([peaks.acceleration, peaks.accelerations]).toEqual([[none], [none]]);
    expect(peaks.distance[0]?.value).toBe(3);
  });

  it("include metabolic power only on request, with a caution", () => {
    const [without, requested] = [peakDemands([], {}), peakDemands([], { metabolicPower: true })];
    expect([without.peaks, without]).toEqual([
      expect.not.objectContaining({ metabolic_power: expect.anything() }),
      expect.not.objectContaining({ caution: expect.anything() }),
    ]);
    expect(requested.peaks).toHaveProperty("metabolic_power");
    expect(requested.caution).toBe(METABOLIC_CAUTION);
  });

  it("recordings longer than 72 hours, and windows that are not whole seconds from 1 to 600, are refused", () => {
    const far = [
      { t: 0, speed: 1 },
      { t: 73 * 3_600_000, speed: 1 },
    ];
    expect(() => peakDemands(columnsOf(far))).toThrow(/cover 73 hours; .* at most 72/);
    for (const windows of [[0], [601], [1.5], "all"]) {
      expect(() => peakDemands([], { windows: windows as number[] })).toThrow(/whole seconds from 1 to 600/);
    }
    expect(() => peakDemands([], { highSpeed: 0 })).toThrow(/highSpeed is 0/);
  });

  it("the curve has every second to 60, then steps of 2 %, and ends with the session", () => {
    const curve = peakCurve(columnsOf(tenHertz(1496, () => 5)), "distance");
    const windows = curve.map(({ window }) => window);
    expect(windows.slice(58, 63)).toEqual([59, 60, 61, 62, 63]);
    expect(windows.slice(-3)).toEqual([146, 148, 149]);
    for (const { window, value } of curve) expect(value).toBe(5 * window);
    expect(peakCurve([], "distance")).toEqual([]);
    expect(() => peakCurve([], "speed" as PeakAmount)).toThrow(/one of distance, high_speed_distance/);
    expect(PEAK_AMOUNTS).toHaveLength(6);
  });
});

describe("the fit of the critical speed", () => {
  const golden = expected<Record<string, Record<string, Record<string, number>>>>("critical_speed.json");

  it("finds the parameters from which a curve was computed", () => {
    const threePlanted = Array.from({ length: 600 }, (_, i) => {
      const windowS = i + 1;
      return { windowS, distanceM: windowS * (3.2 + 180 / (windowS + 180 / 5.8)) };
    });
    const three = fitThreeParameters(threePlanted);
    expect(three?.criticalSpeed).toBeCloseTo(3.2, 7);
    expect(three?.dPrime).toBeCloseTo(180, 5);
    expect(three?.maxSpeed).toBeCloseTo(9, 7);
    const planted =
      expected<Record<string, Record<string, number>>>("critical_speed.json")[
        "planted curve CS 3.2, D' 180, Vmax 9.0"
      ];
    expect(three?.tau).toBeCloseTo(planted?.tau ?? 0, 6);
    const two = fitTwoParameters(
      Array.from({ length: 600 }, (_, i) => ({ windowS: i + 1, distanceM: (i + 1) * 3.2 + 180 })),
    );
    expect(two?.criticalSpeed).toBeCloseTo(3.2, 9);
    expect(two?.dPrime).toBeCloseTo(180, 7);
  });

  // 6000 windows of four hours: only in the long form
  it.skipIf(CORPUS === null || !isLongForm)("agrees with the R package critspeed on its session", () => {
    const speeds = rowsOf(`${CORPUS}data/critspeed_sessionRaw_speed.csv`).map(([speed = 0]) => speed);
    const sums = new Float64Array(speeds.length + 1);
    speeds.forEach((speed, i) => {
      sums[i + 1] = (sums[i] ?? 0) + speed;
    });
    const peaks = Array.from({ length: 6000 }, (_, i) => {
      const n = i + 1;
      let best = 0;
      for (let k = 0; k + n < sums.length; k++) best = Math.max(best, (sums[k + n] ?? 0) - (sums[k] ?? 0));
      return { windowS: n / 10, distanceM: best / 10 };
    });
    const { two = {}, three = {} } = golden["sessionRaw, 6000 windows, mean of samples"] ?? {};
    const upstream = expected<{
      n_samples: number;
      readme_two_param: Record<string, number>;
      readme_three_param: Record<string, number>;
      two_param: Record<string, number>;
      three_param: Record<string, number>;
      window_s: number[];
      max_mean_speed: number[];
    }>("upstream_critspeed.json");
    expect(speeds).toHaveLength(upstream.n_samples);
    upstream.window_s.forEach((windowS, i) => {
      expect((peaks[windowS * 10 - 1]?.distanceM ?? 0) / windowS).toBeCloseTo(
        upstream.max_mean_speed[i] ?? 0,
        6,
      );
    });
    const ownTwo = fitTwoParameters(peaks);
    const ownThree = fitThreeParameters(peaks);
    expect(ownTwo?.criticalSpeed).toBeCloseTo(two.cs ?? 0, 7);
    expect(ownTwo?.dPrime).toBeCloseTo(two.d_prime ?? 0, 5);
    expect(ownThree?.criticalSpeed).toBeCloseTo(three.cs ?? 0, 5);
    expect(ownThree?.dPrime).toBeCloseTo(three.d_prime ?? 0, 3);
    expect(ownThree?.maxSpeed).toBeCloseTo(three.v_max ?? 0, 5);
    for (const theirs of [upstream.readme_two_param, upstream.two_param]) {
      expect(ownTwo?.criticalSpeed).toBeCloseTo(theirs.crit_speed ?? 0, 6);
      expect(ownTwo?.dPrime).toBeCloseTo(theirs.d_prime ?? 0, 4);
    }
    for (const theirs of [upstream.readme_three_param, upstream.three_param]) {
      expect(ownThree?.criticalSpeed).toBeCloseTo(theirs.crit_speed ?? 0, 5);
      expect(ownThree?.dPrime).toBeCloseTo(theirs.d_prime ?? 0, 2);
      expect(ownThree?.maxSpeed).toBeCloseTo(theirs.max_speed ?? 0, 5);
    }
  });
});
