import { expect } from "vitest";
import { loadOverDays, weekOf, weightedMeans } from "../../../src/metrics/load/load-over-days.js";
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

/** Sessions of up to 100 days with matches of any duration, two sessions on some days, and lost loads. */
function randomSessions(seed: number) {
  const uniform = xorshift(seed * 2903 + 7);
  const days = 1 + Math.floor(100 * uniform());
  const sessions = Array.from({ length: days }, (_, day) => day).flatMap((day) =>
    Array.from({ length: day === 0 ? 1 : Math.floor(2.2 * uniform()) }, () => ({
      day,
      load: uniform() < 0.02 ? null : Math.floor(12_000 * uniform()),
      minutes: uniform() < 0.3 ? Math.floor(50 + 50 * uniform()) : null,
    })),
  );
  return sessions;
}

/** Output has 1 decimal for the share and 2 for the ratio; the other program does not round. */
export function matchLoadComparison(seed: number): Comparison {
  const sessions = randomSessions(seed);
  return {
    task: { figure: "load of matches", sessions },
    compare(answer) {
      const own = loadOverDays(
        sessions.map(({ day, load, minutes }) => ({
          day: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
          load,
          matchMinutes: minutes ?? undefined,
        })),
        { ratio: true },
      );
      const theirs = answer as [number | null, number | null][];
      expect(own.length).toBe(theirs.length);
      own.forEach(({ percent_of_match, ratio = null }, i) => {
        const [percent, other] = theirs[i] ?? [];
        for (const [mine, their, tolerance] of [
          [percent_of_match, percent, 0.05],
          [ratio, other, 0.005],
        ] as const) {
          if (mine === null || their == null) expect(mine).toBe(their);
          else expect(Math.abs(mine - their)).toBeLessThanOrEqual(tolerance + 1e-9);
        }
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
