import { expect } from "vitest";
import { individualZones } from "../../../src/metrics/person/index.js";
import { xorshift } from "../figures/planted.js";
import type { Comparison } from "./tasks.js";

/** Zones of a random person. Output has 3 decimals; the other program does not round. */
export function zonesComparison(seed: number): Comparison {
  const uniform = xorshift(seed * 6151 + 5);
  const kind = uniform() < 0.5 ? "mss" : "asr";
  const mssMmPerS = 4000 + Math.floor(8000 * uniform());
  const masMmPerS = 1000 + Math.floor((mssMmPerS - 1000) * uniform());
  return {
    task: { figure: "zones", kind, mss_mm_per_s: mssMmPerS, mas_mm_per_s: masMmPerS },
    compare(answer) {
      const { speed_ranges, sprint_threshold, hid_thresholds } = individualZones(kind, {
        mss: mssMmPerS / 1000,
        mas: masMmPerS / 1000,
      });
      const theirs = answer as { ranges: number[]; sprint: number; high: number[] };
      const own = [...(speed_ranges ?? []), sprint_threshold ?? Number.NaN, ...(hid_thresholds ?? [])];
      const other = [...theirs.ranges, theirs.sprint, ...theirs.high];
      expect(own.length).toBe(other.length);
      for (const [i, speed] of own.entries())
        expect(Math.abs(speed - (other[i] ?? Number.NaN))).toBeLessThanOrEqual(0.0005 + 1e-9);
    },
  };
}
