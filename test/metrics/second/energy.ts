import { expect } from "vitest";
import { metabolicEstimate } from "../../../src/metrics/energy.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

/** Rounded like the output. */
export function energyComparison(samples: readonly TestSample[]): Comparison {
  return {
    task: { figure: "energy", ...columnsForPython(samples) },
    compare(answer) {
      const own = metabolicEstimate(columnsOf(samples));
      if (answer === null) return expect(own.energy).toBeNull();
      const { energy, classes } = answer as { energy: number; classes: [number, number][] };
      expect(own.energy).toBe(Math.floor(energy / 2e7 + 0.5) / 100);
      expect(own.equivalent_distance).toBeCloseTo(Math.floor((energy / 2e6 / 3.6) * 10 + 0.5) / 10, 9);
      expect(own.categories.map(({ duration }) => duration)).toEqual(classes.map(([ms]) => ms / 1000));
      classes.forEach(([, halfUm], i) => {
        expect(Math.abs((own.categories[i]?.distance ?? 0) - halfUm / 2e6)).toBeLessThanOrEqual(0.000_501);
      });
    },
  };
}
