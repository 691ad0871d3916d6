/** Run by `npm run bench:figures`. Measures the figures of asi-convert/metrics and compares the times with their targets. */
import {
  accelerationSpeedProfile,
  computeMetrics,
  computeRecipe,
  type MetricSamples,
  metabolicEstimate,
  peakDemands,
  prepareSamples,
  RECIPES,
  recipeSensitivity,
  sessionMaxSpeed,
  standardRuns,
} from "../src/metrics/index.js";
import { plantedMatch } from "../test/metrics/figures/planted.js";
import { columnsOf } from "../test/metrics/golden/sessions.js";

const RUNS = 5;
const PAIRS = 41;
/** Target for all figures of a match, as a multiple of the time of `computeMetrics`. */
const MOST_TIMES = 3;
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

/**
 * Median of the ratios of two times. The two tasks alternate, so that other processes slow down both. On a busy machine, the
 * ratio of two times measured one after the other differs by a factor of three.
 */
function ratioOf(work: () => unknown, ordinary: () => unknown): number {
  const ratios = Array.from({ length: PAIRS }, () => {
    const start = performance.now();
    ordinary();
    const middle = performance.now();
    work();
    return (performance.now() - middle) / (middle - start);
  });
  return ratios.sort((a, b) => a - b)[PAIRS >> 1] ?? Number.NaN;
}

function everything(fits = false): MetricSamples {
  const samples = prepareSamples(match);
  computeMetrics(samples);
  peakDemands(samples, { metabolicPower: true, fits });
  metabolicEstimate(samples);
  sessionMaxSpeed(samples);
  for (const { recipe, name } of RECIPES) if (name.startsWith("soccer/")) computeRecipe(samples, recipe);
  return samples;
}

/** Includes computations that the service omits: 600 windows and 200 fits of critical speed, a second filter, and means of
 * seconds. */
function everythingOfTheCommand(): void {
  const samples = everything(true);
  accelerationSpeedProfile([samples], { maxSpeed: 9 });
  standardRuns(samples);
}
const ordinary = secondsOf(() => computeMetrics(match));
const ratio = ratioOf(everything, () => computeMetrics(match));
const ratioOfCommand = ratioOf(everythingOfTheCommand, () => computeMetrics(match));
console.log(
  `computeMetrics of a match ${ordinary.toFixed(3)} s; with peaks, power, maximum speed and the 7 recipes of soccer ${ratio.toFixed(1)} times that, at most ${MOST_TIMES}: ${ratio <= MOST_TIMES ? "reached" : "NOT REACHED"}`,
);
console.log(
  `with the fits, the acceleration-speed profile and the standard runs too, ${ratioOfCommand.toFixed(1)} times that`,
);

for (const { what, seconds, target } of rows) {
  const verdict = seconds <= target ? "reached" : "NOT REACHED";
  console.log(`${what.padEnd(60)} ${seconds.toFixed(3)} s, at most ${target} s: ${verdict}`);
}
if (ratio > MOST_TIMES || rows.some(({ seconds, target }) => seconds > target)) process.exitCode = 1;
