import { expect } from "vitest";
import { standardRuns } from "../../../src/metrics/standard-runs/index.js";
import { gaussOf, xorshift } from "../figures/planted.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

/** Minutes of steady running with changes of pace, stops, jitter, gaps, spikes and an intermittent heart rate, at 1 to 5 Hz. */
export function randomRunning(seed: number): TestSample[] {
  const uniform = xorshift(seed * 6151 + 29);
  const stepMs = Math.round(1000 / (1 + Math.floor(5 * uniform())));
  const jitterMs = uniform() < 0.5 ? 0 : stepMs * 0.05;
  const noise = 300 * uniform();
  const heardShare = 0.1 + 0.9 * uniform();
  const samples: TestSample[] = [];
  let pace = 0;
  for (let t = 0; t < 900_000; t += stepMs) {
    if (t === 0 || uniform() < stepMs / 300_000) pace = uniform() < 0.2 ? 0 : 2400 + 2300 * uniform();
    const isGap = uniform() < stepMs / 500_000;
    if (isGap) t += Math.floor(4000 * uniform());
    const isMissing = uniform() < 0.002;
    const speed = uniform() < 0.001 ? 11_000 : Math.floor(Math.abs(pace + noise * gaussOf(uniform)));
    samples.push({
      t: 1_700_000_000_000 + t + Math.floor(jitterMs * (uniform() - 0.5)),
      speed: isMissing ? -1 : speed,
      hr: uniform() < (heardShare * stepMs) / 1000 ? Math.floor(120 + 40 * uniform()) : 0,
    });
  }
  return samples;
}

export function standardRunsComparison(samples: readonly TestSample[]): Comparison {
  return {
    task: { figure: "standard runs", ...columnsForPython(samples) },
    compare(answer) {
      const theirs = answer as [start: number, seconds: number, speed: number, rate: number | null][];
      const { runs } = standardRuns(columnsOf(samples));
      expect(runs.map(({ start_time, duration }) => [start_time, duration])).toEqual(
        theirs.map(([start, seconds]) => [start, seconds]),
      );
      runs.forEach(({ mean_speed, heart_rate }, i) => {
        const [, , speed = Number.NaN, rate = null] = theirs[i] ?? [];
        expect(Math.abs(mean_speed - speed)).toBeLessThanOrEqual(0.000_500_001);
        if (heart_rate === null || rate === null) expect(heart_rate).toBe(rate);
        else expect(Math.abs(heart_rate - rate)).toBeLessThanOrEqual(0.050_001);
      });
    },
  };
}
