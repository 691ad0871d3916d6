import { metabolicEstimate, metabolicSummary } from "asi-convert/metrics";
import { optionalColumns } from "asi-convert/squad-report";
import { describe, expect, it } from "vitest";
import { metabolicPowerOf } from "../src/recording/estimates.js";
import { profileOf } from "../src/recording/speed-profile.js";
import { decimalsOf } from "../src/squad/columns.js";
import { sprintsAndRun } from "./sprints-and-run.js";

const { samples } = await sprintsAndRun("sprints.asi");
const settings = {
  preset: "soccer",
  maxHeartRate: null,
  maxSpeedMPerS: null,
  aerobicSpeedMPerS: null,
} as const;

describe("optional figures", () => {
  it("have the mean power of the library for the visible time", () => {
    const startMs = samples.timestampMs[0] ?? 0;
    const shown = { startMs, stopMs: startMs + 30_000 };
    const estimate = metabolicEstimate(samples, { from: startMs, to: startMs + 30_000 });
    const { mean_power } = metabolicSummary(estimate);
    expect(mean_power).toBeGreaterThan(1);
    expect(metabolicPowerOf(samples, shown, settings)).toEqual({ ...estimate, mean_power });
  });

  it("give the reason of the library for the profile of a walk", () => {
    const walk = { ...samples, speedMmPerS: samples.speedMmPerS.map(() => 900) };
    expect(profileOf(walk, settings).found).toMatchObject({
      profile: null,
      reason: "maximum speed 0.9 m/s; at least 1 m/s is needed",
    });
  });

  it("have two decimals for the energy per minute, because it is below 1 kJ/kg", () => {
    const energy = optionalColumns(["metabolic"]).find(({ unit }) => unit === "kJ/kg");
    if (energy === undefined) throw new Error("no column of energy");
    expect([decimalsOf(energy, false), decimalsOf(energy, true)]).toEqual([1, 2]);
  });
});
