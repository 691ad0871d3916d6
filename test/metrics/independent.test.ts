import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  computeMetrics,
  type MetricsOptions,
  type ParameterOverrides,
  type Sport,
} from "../../src/metrics/index.js";
import { matchFrame, matchSamples } from "./golden/match.js";
import { columnsOf, type TestSample, tenHertz } from "./golden/sessions.js";

// golden/independent.py computes the same figures from the written definition, with rationals and 60-digit decimals,
// without code of the product. Its output is golden/independent.json.

interface Case {
  readonly name: string;
  readonly sport: Sport;
  readonly params: ParameterOverrides;
  readonly birthDate: string | null;
  readonly every: number;
  readonly offset: number;
}

const goldenFile = (name: string) => fileURLToPath(new URL(`golden/${name}`, import.meta.url));
const { cases }: { cases: readonly Case[] } = JSON.parse(readFileSync(goldenFile("cases.json"), "utf8"));
const independentText = readFileSync(goldenFile("independent.json"), "utf8");
const independent: Record<string, unknown> = JSON.parse(independentText);

function figuresOf(
  samples: readonly TestSample[],
  frame: MetricsOptions,
  preset: Sport,
  params: ParameterOverrides,
) {
  const { definition, ...figures } = computeMetrics(columnsOf(samples), { ...frame, preset, params });
  return figures;
}

describe("every figure matches an independent computation", () => {
  it.each(cases)("$name", ({ name, sport, params, birthDate, every, offset }) => {
    const figures = figuresOf(matchSamples(every, offset), matchFrame(birthDate), sport, params);
    expect(figures).toEqual(independent[name]);
  });

  it("exponential start, soccer, 10 Hz", () => {
    const samples = tenHertz(120, (s) => (s < 3 ? 0 : 8.5 * (1 - Math.exp(-(s - 3) / 1.3))));
    expect(figuresOf(samples, { from: 0, to: 11_900 }, "soccer", {})).toEqual(
      independent["exponential start, soccer, 10 Hz"],
    );
  });

  it("the synthetic match has entries in every list", () => {
    const data = figuresOf(matchSamples(1, 0), matchFrame(null), "soccer", {});
    for (const { threshold_1, threshold_2 } of [data.accelerations, data.decelerations, data.hid]) {
      expect(threshold_1.values).not.toEqual([]);
      expect(threshold_2.values).not.toEqual([]);
    }
    expect(data.sprint.threshold_1.values).not.toEqual([]);
  });
});

const python = spawnSync("python3", [goldenFile("independent.py")], { encoding: "utf8" });
const ofFixtures = goldenFile("recordings.json");

describe.skipIf(python.error !== undefined)(
  "the independent figures (requires python3, otherwise skipped)",
  () => {
    it("match the output of the script", () => {
      expect(python.status, python.stderr).toBe(0);
      expect(JSON.parse(python.stdout)).toEqual(independent);
    });

    it("match recordings.json for recordings", () => {
      const { stdout } = spawnSync("python3", [goldenFile("independent.py"), "fixtures"], {
        encoding: "utf8",
      });
      expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(ofFixtures, "utf8")));
    });
  },
);
