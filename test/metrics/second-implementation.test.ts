import { describe, expect, it } from "vitest";
import { RECIPES, type Recipe } from "../../src/metrics/recipes/index.js";
import { examples } from "../long-form.js";
import { plantedReception, plantedSprints, plantedStep, xorshift } from "./figures/planted.js";
import { heartRangeComparison, intervalsComparison, randomTrack, speedsComparison } from "./second/beats.js";
import { energyComparison } from "./second/energy.js";
import { hrvComparison, randomIntervals } from "./second/hrv.js";
import { loadComparison, matchLoadComparison, randomLoads, trimpComparison } from "./second/load.js";
import { fitsComparison, peaksComparison } from "./second/peaks.js";
import { pitchComparison } from "./second/pitch.js";
import { profileComparison } from "./second/profile.js";
import { randomGatedRecipe, randomRecipe, recipeComparison } from "./second/recipes.js";
import { randomSignal, withRandomQuality } from "./second/signals.js";
import { randomRunning, standardRunsComparison } from "./second/standard-runs.js";
import { answers, type Comparison } from "./second/tasks.js";
import { zonesComparison } from "./second/zones.js";

// second/second.py computes the same figures from the written definition, without code of the product. One process answers
// the questions for all figures and all signals.

const SIGNALS = Array.from({ length: examples(1000) }, (_, seed) => randomSignal(seed));

/** The effect of a gate on the planted match, whose reception is bad at times. */
const PLANTED_GATES: readonly Recipe[] = ["soccer/sprint", "soccer/accelerations-3"].flatMap((wanted) =>
  RECIPES.filter(({ name }) => name === wanted).map(({ recipe }) => ({
    ...recipe,
    gate: { min_satellites: 6, max_speed_accuracy: 1000 },
  })),
);

function randomCurve(seed: number): [number, number][] {
  const uniform = xorshift(seed + 1);
  const last = 100 + Math.floor(501 * uniform());
  const [speed, reserve, tau] = [1 + 3 * uniform(), 1 + 7 * uniform(), 2 + 60 * uniform()];
  return Array.from({ length: last }, (_, i) => {
    const w = i + 1;
    return [w, w * (speed + (reserve * tau) / (w + tau)) * (1 + 0.01 * uniform())];
  });
}

const FIGURES: Record<string, readonly Comparison[]> = {
  "peak demands": [...SIGNALS, plantedStep()].map(peaksComparison),
  "counts by recipes": SIGNALS.map((samples, i) => recipeComparison(samples, randomRecipe(i))),
  "counts by recipes with a gate": [
    ...SIGNALS.map((samples, i) => recipeComparison(withRandomQuality(samples, i), randomGatedRecipe(i))),
    ...PLANTED_GATES.map((recipe) => recipeComparison(plantedReception(), recipe)),
  ],
  "heart-rate variability": Array.from({ length: examples(1000) }, (_, i) =>
    hrvComparison(randomIntervals(i)),
  ),
  "individual zones": Array.from({ length: examples(1000) }, (_, i) => zonesComparison(i)),
  "load against matches, and its ratio": Array.from({ length: examples(1000) }, (_, i) =>
    matchLoadComparison(i),
  ),
  "load over weeks": Array.from({ length: examples(1000) }, (_, i) => loadComparison(randomLoads(i))),
  "maximum speed and acceleration-speed profile": [...SIGNALS, plantedSprints(0.05)].map(profileComparison),
  "metabolic power": SIGNALS.map(energyComparison),
  "pitch and shape of a team": Array.from({ length: examples(1000) }, (_, i) => pitchComparison(i)),
  "RR intervals in time": Array.from({ length: examples(1000) }, (_, i) =>
    intervalsComparison(randomTrack(i), i),
  ),
  "rows in a range of heart rates": SIGNALS.map(heartRangeComparison),
  "speeds at times": SIGNALS.map(speedsComparison),
  "standard runs": Array.from({ length: examples(1000) }, (_, i) => standardRunsComparison(randomRunning(i))),
  TRIMP: SIGNALS.map(trimpComparison),
  "power law and critical speed": Array.from({ length: examples(1000) }, (_, i) =>
    fitsComparison(randomCurve(i)),
  ),
};

const all = Object.values(FIGURES).flat();
const given = answers(all);
const answerOf = new Map(all.map((comparison, i) => [comparison, given?.[i]]));

describe.skipIf(given === null)("a second implementation (requires python3, otherwise skipped)", () => {
  it.each(Object.keys(FIGURES))("gives the same %s", (name) => {
    const comparisons = FIGURES[name] ?? [];
    expect(comparisons.length).toBeGreaterThan(0);
    for (const comparison of comparisons) comparison.compare(answerOf.get(comparison));
  });
});
