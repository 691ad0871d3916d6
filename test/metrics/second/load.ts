import { expect } from "vitest";
import { weekOf, weightedMeans } from "../../../src/metrics/load/load-over-days.js";
import { type TrimpMethod, trimp } from "../../../src/metrics/load/trimp.js";
import { xorshift } from "../figures/planted.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { near } from "./peaks.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

/** Loads for up to 120 days with rest, lost days, and weeks of equal days. */
export function randomLoads(seed: number): (number | null)[] {
  const uniform = xorshift(seed * 3571 + 11);
  const isEqual = uniform() < 0.1;
  return Array.from({ length: 1 + Math.floor(120 * uniform()) }, () => {
    const luck = uniform();
    if (luck < 0.03) return null;
    return luck < 0.25 ? 0 : isEqual ? 100 : Math.floor(12_000 * uniform());
  });
}

export function loadComparison(loads: readonly (number | null)[]): Comparison {
  return {
    task: { figure: "load", loads },
    compare(answer) {
      const acute = weightedMeans(loads, 7);
      const chronic = weightedMeans(loads, 28);
      const theirs = answer as (number | null)[][];
      expect(theirs.length).toBe(loads.length);
      theirs.forEach((row, i) => {
        const week = weekOf(loads, i);
        const { sum = null, monotony = null, strain = null } = week ?? {};
        near([acute[i] ?? null, chronic[i] ?? null, sum, monotony, strain], row, 1e-9);
      });
    },
  };
}

const METHODS: readonly TrimpMethod[] = [
  { method: "banister", maxHr: 200, restHr: 50, sex: "male" },
  { method: "banister", maxHr: 187, restHr: 61, sex: "female" },
  { method: "edwards", maxHr: 193 },
  { method: "lucia", thresholds: [140, 170] },
];

/** Output has 1 decimal; the other program does not round. */
export function trimpComparison(samples: readonly TestSample[], i: number): Comparison {
  const method = METHODS[i % METHODS.length] ?? { method: "edwards", maxHr: 193 };
  return {
    task: { figure: "trimp", method, ...columnsForPython(samples) },
    compare(answer) {
      const own = trimp(columnsOf(samples), method);
      if (own === null || answer === null) expect(own).toBe(answer);
      else expect(Math.abs(own - (answer as number))).toBeLessThanOrEqual(0.05 + 1e-9);
    },
  };
}
