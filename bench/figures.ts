/** `npm run bench:figures`: measures the figures of asi-convert/metrics and compares the times with their targets. */
import {
  computeMetrics,
  computeRecipe,
  type MetricSamples,
  metabolicEstimate,
  peakDemands,
  prepareSamples,
  RECIPES,
  recipeSensitivity,
  sessionMaxSpeed,
} from "../src/metrics/index.js";
import { plantedMatch } from "../test/metrics/figures/planted.js";
import { columnsOf } from "../test/metrics/golden/sessions.js";

const RUNS = 5;
const PLAYERS = 25;

const match: MetricSamples = columnsOf(plantedMatch());

/** Median of the times, s. */
function secondsOf(work: () => unknown): number {
  work();
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    work();
    return (performance.now() - start) / 1000;
  });
  return times.sort((a, b) => a - b)[RUNS >> 1] ?? Number.NaN;
}

const rows: { what: string; seconds: number; target: number }[] = [
  {
    what: `peak demands: ${PLAYERS} players, 10 windows, 6 metrics`,
    seconds: secondsOf(() => {
      for (let i = 0; i < PLAYERS; i++) peakDemands(match, { metabolicPower: true, fits: false });
    }),
    target: 2,
  },
  ...["soccer/sprint", "soccer/accelerations-3"].map((name) => ({
    what: `sensitivity of ${name}: one match`,
    seconds: secondsOf(() => {
      for (const { recipe, ...named } of RECIPES) if (named.name === name) recipeSensitivity(match, recipe);
    }),
    target: 1,
  })),
];

const ordinary = secondsOf(() => computeMetrics(match));
const everything = secondsOf(() => {
  const samples = prepareSamples(match);
  computeMetrics(samples);
  peakDemands(samples, { metabolicPower: true, fits: false });
  metabolicEstimate(samples);
  sessionMaxSpeed(samples);
  for (const { recipe, name } of RECIPES) if (name.startsWith("soccer/")) computeRecipe(samples, recipe);
});
console.log(
  `computeMetrics of a match ${ordinary.toFixed(3)} s; with peaks, power, maximum speed and the 7 recipes of soccer ${(everything / ordinary).toFixed(1)} times that`,
);

for (const { what, seconds, target } of rows) {
  const verdict = seconds <= target ? "reached" : "NOT REACHED";
  console.log(`${what.padEnd(60)} ${seconds.toFixed(3)} s, at most ${target} s: ${verdict}`);
}
if (rows.some(({ seconds, target }) => seconds > target)) process.exitCode = 1;
