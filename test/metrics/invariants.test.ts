import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accelerationSignals } from "../../src/metrics/acceleration.js";
import {
  computeMetrics,
  type Metrics,
  type MetricsOptions,
  metricParameters,
  type ParameterOverrides,
  SPORTS,
  type Sport,
} from "../../src/metrics/index.js";
import type { EffortsByThreshold } from "../../src/metrics/metrics.js";
import { maxSpeedOf, type PreparedSignal, prepareSignal, totalsOf } from "../../src/metrics/prepare.js";
import { columnsOf, TEN_HZ_MS, type TestSample } from "./golden/sessions.js";

const SOCCER = metricParameters("soccer");

const RUNS = { seed: 20_240_601, numRuns: 150 };

/** Half of the last digit of an output with 3 decimals. */
const HALF_MM = 0.0005;
const FLOAT_NOISE = 1e-9;

const frameArbitrary = fc.record({ startOffsetMs: fc.nat(20_000), endOffsetMs: fc.nat(20_000) });

/** A part of play: the speed changes linearly to a new value; then the recording may stop for a while. */
const phaseArbitrary = fc.record({
  samples: fc.integer({ min: 1, max: 60 }),
  toMmPerS: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 12_500 })),
  gapMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 9000 })),
  hr: fc.oneof(fc.constant(0), fc.integer({ min: 20, max: 250 })),
  noise: fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 1, maxLength: 7 }),
});

type Phase = typeof phaseArbitrary extends fc.Arbitrary<infer T> ? T : never;

function play(phases: readonly Phase[]): TestSample[] {
  const samples: TestSample[] = [];
  let t = 0;
  let from = 0;
  for (const { samples: count, toMmPerS, gapMs, hr, noise } of phases) {
    for (let i = 1; i <= count; i++) {
      const speed = from + Math.round(((toMmPerS - from) * i) / count) + (noise[i % noise.length] ?? 0);
      samples.push({ t, speed: Math.min(Math.max(speed, 0), 12_500), hr: i % 10 === 1 ? hr : 0 });
      t += TEN_HZ_MS;
    }
    from = toMmPerS;
    t += gapMs;
  }
  return samples;
}

const sessionArbitrary = fc.array(phaseArbitrary, { minLength: 1, maxLength: 25 }).map(play);

/** A session without gaps on the 10 Hz grid, with 3 s of constant speed at both ends. */
const unbrokenArbitrary = fc.array(phaseArbitrary, { minLength: 1, maxLength: 15 }).map((phases) => {
  const inner = play(phases.map((phase) => ({ ...phase, gapMs: 0 }))).map(({ speed }) => speed);
  const constant = (speed: number) => Array.from({ length: 30 }, () => speed);
  return [...constant(inner[0] ?? 0), ...inner, ...constant(inner.at(-1) ?? 0)].map((speed, k) => ({
    t: k * TEN_HZ_MS,
    speed,
  }));
});

function wholeFrame(samples: readonly TestSample[]) {
  const to = (samples.at(-1)?.t ?? 0) + 1;
  return { from: 0, to, periods: [{ startMs: 0, endMs: to }], birthDate: "1996-06-02" };
}

function compute(
  samples: readonly TestSample[],
  frame: MetricsOptions = wholeFrame(samples),
  params: ParameterOverrides = {},
): Metrics {
  return computeMetrics(columnsOf(samples), { ...frame, params });
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const distances = (values: readonly { distance: number }[]) => values.map(({ distance }) => distance);
const within = (tolerance: number, a: number, b: number) =>
  expect(Math.abs(a - b)).toBeLessThanOrEqual(tolerance + FLOAT_NOISE);
const union = (efforts: EffortsByThreshold) =>
  [...efforts.threshold_1.values, ...efforts.threshold_2.values].sort((a, b) => a.start_time - b.start_time);
const endMs = ({ start_time, duration }: { start_time: number; duration: number }) =>
  start_time + Math.round(duration * 1000);

describe("invariants of the computed data", () => {
  it("1: classes and slices add up to the total, shares to 1", () => {
    fc.assert(
      fc.property(
        sessionArbitrary,
        frameArbitrary,
        fc.constantFrom<Sport[]>(...SPORTS),
        fc.integer({ min: 10, max: 90 }),
        (samples, { startOffsetMs, endOffsetMs }, sport, intensity_span) => {
          const whole = wholeFrame(samples);
          const frame = { ...whole, preset: sport, from: -startOffsetMs, to: whole.to + endOffsetMs };
          const data = compute(samples, frame, { intensity_span });
          const total = data.total_distance ?? 0;
          for (const parts of [distances(data.distance_per_speed_ranges), data.intensity.distance]) {
            within(HALF_MM * (parts.length + 1), sum(parts), total);
          }
          for (const ranges of [data.time_per_speed_ranges, data.distance_per_speed_ranges]) {
            const shares = sum(ranges.map(({ ratio }) => ratio));
            if (shares > 0) within(0.00005 * ranges.length, shares, 1);
          }
        },
      ),
      RUNS,
    );
  });

  it("2: high-intensity distance is the sum of the classes above its threshold, and a higher threshold never gives a longer distance", () => {
    fc.assert(
      fc.property(sessionArbitrary, (samples) => {
        const from7 = compute(samples, wholeFrame(samples), { hid_thresholds: [5.5, 7] }).hid.threshold_2;
        const { hid, distance_per_speed_ranges } = compute(samples);
        let smallestSoFar = Number.POSITIVE_INFINITY;
        for (const { threshold, values } of [hid.threshold_1, hid.threshold_2, from7]) {
          const runs = distances(values);
          const classes = distance_per_speed_ranges.filter(({ threshold_low }) => threshold_low >= threshold);
          const rounding = HALF_MM * (runs.length + classes.length);
          within(rounding, sum(runs), sum(distances(classes)));
          expect(sum(runs) - rounding - FLOAT_NOISE).toBeLessThanOrEqual(smallestSoFar);
          smallestSoFar = sum(runs) + rounding;
        }
      }),
      RUNS,
    );
  });

  it("3: the distances of the parts of a session add up exactly, and its maximum is that of the parts", () => {
    fc.assert(
      fc.property(sessionArbitrary, fc.nat(), (samples, anywhere) => {
        const signal = prepareSignal(columnsOf(samples), SOCCER);
        const cut = anywhere % samples.length;
        const parts = [part(signal, 0, cut), part(signal, cut, samples.length - 1)];
        const totals = parts.map(totalsOf);
        const whole = totalsOf(signal);
        expect(sum(totals.map(({ distanceHalfUm }) => distanceHalfUm))).toBe(whole.distanceHalfUm);
        expect(sum(totals.map(({ durationMs }) => durationMs))).toBe(whole.durationMs);
        expect(Math.max(...parts.map((p) => maxSpeedOf(p) ?? -1))).toBe(maxSpeedOf(signal));
      }),
      RUNS,
    );
  });

  it("4: shifting all times changes only the times in the result", () => {
    fc.assert(
      fc.property(sessionArbitrary, fc.integer({ min: 0, max: 1_700_000_000_000 }), (samples, shiftMs) => {
        const frame = { ...wholeFrame(samples), birthDate: null };
        const shifted = samples.map((sample) => ({ ...sample, t: sample.t + shiftMs }));
        const shiftedFrame = {
          ...frame,
          from: frame.from + shiftMs,
          to: frame.to + shiftMs,
          periods: [{ startMs: shiftMs, endMs: frame.to + shiftMs }],
        };
        const instantKeys = new Set(["first_timestamp", "last_timestamp", "start_time", "end_time"]);
        const shiftedBack = JSON.parse(JSON.stringify(compute(shifted, shiftedFrame)), (key, value) =>
          instantKeys.has(key) && typeof value === "number" ? value - shiftMs : value,
        );
        expect(shiftedBack).toEqual(JSON.parse(JSON.stringify(compute(samples, frame))));
      }),
      RUNS,
    );
  });

  it("4: reversing time changes accelerations to decelerations", () => {
    let compared = 0;
    fc.assert(
      fc.property(unbrokenArbitrary, (samples) => {
        const lastMs = samples.at(-1)?.t ?? 0;
        const reversed = samples.map(({ t, speed }) => ({ t: lastMs - t, speed })).reverse();
        const [forth, back] = [samples, reversed].map(
          (s) => accelerationSignals(prepareSignal(columnsOf(s), SOCCER))[0]?.accelerationMmPerS2,
        );
        const tolerance = 1e-6 * 1000;
        forth?.forEach((a, i) => {
          if (i < 20 || i >= forth.length - 20) return;
          expect(Math.abs(a + (back?.[forth.length - 1 - i] ?? Number.NaN))).toBeLessThan(tolerance);
        });
        const mirrored = union(compute(reversed).decelerations)
          .map((effort) => ({
            start_time: lastMs - endMs(effort),
            max_value: -effort.max_value,
            duration: effort.duration,
            distance: effort.distance,
            initial_speed: effort.end_speed,
            end_speed: effort.initial_speed,
          }))
          .reverse();
        const inside = (effort: { start_time: number; duration: number }) =>
          effort.start_time >= 2000 && endMs(effort) <= lastMs - 2000;
        const accelerations = union(compute(samples).accelerations).filter(inside);
        const decelerations = mirrored.filter(inside);
        expect(decelerations.map((d) => ({ ...d, max_value: 0 }))).toEqual(
          accelerations.map((a) => ({ ...a, max_value: 0 })),
        );
        compared += accelerations.length;
        // The last digit may round differently when the two peaks differ by a rounding error.
        accelerations.forEach((a, i) => {
          within(0.001, decelerations[i]?.max_value ?? 0, a.max_value);
        });
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(100);
  });

  it("5: a higher threshold never adds an effort", () => {
    const tenths = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 10);
    fc.assert(
      fc.property(
        sessionArbitrary,
        tenths(10, 40),
        tenths(10, 19),
        tenths(0, 30),
        (samples, low, gap, raise) => {
          const startsAt = (acceleration_thresholds: [number, number]): number[] => {
            const { accelerations } = compute(samples, wholeFrame(samples), { acceleration_thresholds });
            return union(accelerations).map(({ start_time }) => start_time);
          };
          const base = startsAt([low, low + gap]);
          expect(base).toEqual(expect.arrayContaining(startsAt([low + raise, low + raise + gap])));
          expect(startsAt([low, low + gap + raise])).toEqual(base);
        },
      ),
      RUNS,
    );
  });

  it("5: entries of a list do not overlap, and every entry is within the used samples", () => {
    fc.assert(
      fc.property(sessionArbitrary, (samples) => {
        const data = compute(samples);
        const lists = [
          union(data.accelerations),
          union(data.decelerations),
          data.sprint.threshold_1.values,
          data.hid.threshold_1.values,
          data.hid.threshold_2.values,
        ];
        for (const entries of lists) {
          // Durations of runs off the 100 ms grid are rounded to 0.1 s.
          const roundingMs = 50;
          let previousEndMs = (data.first_timestamp ?? 0) - 1;
          for (const entry of entries) {
            expect(entry.start_time).toBeGreaterThan(previousEndMs - roundingMs);
            previousEndMs = endMs(entry);
          }
          expect(previousEndMs).toBeLessThanOrEqual((data.last_timestamp ?? 0) + roundingMs);
        }
      }),
      RUNS,
    );
  });

  it("6: a single spike never increases the maximum above the other samples", () => {
    fc.assert(
      fc.property(
        unbrokenArbitrary,
        fc.nat(),
        fc.integer({ min: 0, max: 40_000 }),
        (samples, where, spike) => {
          const at = 2 + (where % (samples.length - 4));
          const spiked = samples.map((sample, i) => (i === at ? { ...sample, speed: spike } : sample));
          const largestOther = Math.max(...samples.filter((_, i) => i !== at).map(({ speed }) => speed));
          expect(compute(spiked).max_speed).toBeLessThanOrEqual(largestOther / 1000);
        },
      ),
      RUNS,
    );
  });

  it("7: the shares of the heart-rate zones add up to 100 if any heart rate has a duration", () => {
    fc.assert(
      fc.property(sessionArbitrary, fc.integer({ min: 60, max: 240 }), (samples, max_hr) => {
        const data = compute(samples, wholeFrame(samples), { max_hr });
        const firstHeard = samples.find(({ hr }) => hr !== undefined && hr >= 30 && hr <= 240);
        const hasDuration = firstHeard !== undefined && firstHeard.t < (data.last_timestamp ?? 0);
        const shares = sum(data.timePerHrZone.map(({ percentage_hrmax }) => percentage_hrmax));
        within(0.005 * 6, shares, hasDuration ? 100 : 0);
      }),
      RUNS,
    );
  });

  it("8: the same samples result in the same bytes, regardless of their order and their distribution over files", () => {
    const sessionInFiles = sessionArbitrary.chain((samples) =>
      fc.record({
        samples: fc.constant(samples),
        loaded: fc
          .shuffledSubarray(samples)
          .map((again) => [...again, ...samples.slice(samples.length >> 1), ...samples]),
      }),
    );
    fc.assert(
      fc.property(sessionInFiles, ({ samples, loaded }) => {
        const frame = wholeFrame(samples);
        const outside = [-TEN_HZ_MS, frame.to].map((t) => ({ t, speed: 9000, hr: 200 }));
        expect(JSON.stringify(compute([...outside, ...loaded], frame))).toBe(
          JSON.stringify(compute(samples, frame)),
        );
      }),
      RUNS,
    );
  });
});

function part(signal: PreparedSignal, from: number, to: number): PreparedSignal {
  return {
    ...signal,
    timestampMs: signal.timestampMs.slice(from, to + 1),
    speedMmPerS: signal.speedMmPerS.slice(from, to + 1),
    intervalSpeedSum: signal.intervalSpeedSum.slice(from, to + 1),
    segments: signal.segments
      .map(({ first, last }) => ({ first: Math.max(first, from) - from, last: Math.min(last, to) - from }))
      .filter(({ first, last }) => first <= last),
  };
}
