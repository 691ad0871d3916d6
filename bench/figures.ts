/** `npm run bench:figures`: measures the figures of asi-convert/metrics and compares the times with their targets. */
import type { MetricSamples } from "../src/metrics/index.js";
import { plantedMatch } from "../test/metrics/figures/planted.js";
import { columnsOf } from "../test/metrics/golden/sessions.js";

// imports the built files, because tsx adds function calls that slow down the figures
const {
  accelerationSpeedProfile,
  computeMetrics,
  computeRecipe,
  metabolicEstimate,
  peakDemands,
  prepareSamples,
  RECIPES,
  recipeSensitivity,
  sessionMaxSpeed,
  standardRuns,
}: typeof import("../src/metrics/index.js") = await import(
  new URL("../dist/metrics.js", import.meta.url).href
);

const RUNS = 5;
const PAIRS = 41;
/** Target for all figures of a match: maximum ratio to the processor time of `computeMetrics`. */
const MOST_TIMES = 3;
const PLAYERS = 25;

const match: MetricSamples = columnsOf(plantedMatch());

/** Returns the median of several run times, s. */
function secondsOf(work: () => unknown): number {
  work();
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    work();
    return (performance.now() - start) / 1000;
  });
  return times.sort((a, b) => a - b)[RUNS >> 1] ?? Number.NaN;
}

/** Returns the processor time of this process, ms. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns the median ratio of two processor times. The two tasks alternate, and each runs several times, because other processes on the
 * machine change caches and clock rate, which affects both tasks.
 */
function ratioOf(work: () => unknown, ordinary: () => unknown): number {
  const msOf = (task: () => unknown) => {
    const start = processorMs();
    for (let i = 0; i < RUNS; i++) task();
    return processorMs() - start;
  };
  const ratios = Array.from({ length: PAIRS }, () => {
    const ordinaryMs = msOf(ordinary);
    return msOf(work) / ordinaryMs;
  });
  return ratios.sort((a, b) => a - b)[PAIRS >> 1] ?? Number.NaN;
}

/** Computes all optional figures of `asi stats` for a match, except sensitivity, which the rows above measure. */
function everything(): void {
  const samples = prepareSamples(match);
  computeMetrics(samples);
  peakDemands(samples, { metabolicPower: true });
  metabolicEstimate(samples);
  sessionMaxSpeed(samples);
  for (const { recipe, name } of RECIPES) if (name.startsWith("soccer/")) computeRecipe(samples, recipe);
  accelerationSpeedProfile([samples], { maxSpeed: 9 });
  standardRuns(samples);
}

const ordinary = secondsOf(() => computeMetrics(match));
const ratio = ratioOf(everything, () => computeMetrics(match));
console.log(
  `computeMetrics of a match ${ordinary.toFixed(3)} s; with all figures ${ratio.toFixed(1)} times its processor time, at most ${MOST_TIMES}: ${ratio <= MOST_TIMES ? "reached" : "NOT REACHED"}`,
);

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

for (const { what, seconds, target } of rows) {
  const verdict = seconds <= target ? "reached" : "NOT REACHED";
  console.log(`${what.padEnd(60)} ${seconds.toFixed(3)} s, at most ${target} s: ${verdict}`);
}
if (ratio > MOST_TIMES || rows.some(({ seconds, target }) => seconds > target)) process.exitCode = 1;
