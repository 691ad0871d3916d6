import type { MetricsOptions } from "../../../src/metrics/index.js";
import type { TestSample } from "./sessions.js";

/**
 * A synthetic match of 12 minutes as a function of the sample number. It uses only integers, so any language computes the
 * same samples; `independent.py` contains the same function. It contains sprints, stops, spikes, missing and impossible
 * speeds, lost samples, a gap, times off the 100 ms grid, and heart rates that arrive once a second, stop, or are
 * impossible.
 */
const START_MS = 1_717_236_000_000;
const SAMPLE_COUNT = 7200;

/** One minute of play: number of samples, first and last speed in mm/s. */
const MINUTE: readonly (readonly [number, number, number])[] = [
  [50, 0, 0],
  [30, 0, 1500],
  [100, 1500, 1500],
  [20, 1500, 6000],
  [80, 6000, 6500],
  [15, 6500, 1000],
  [105, 1000, 3500],
  [20, 3500, 8800],
  [60, 8800, 8600],
  [40, 8600, 0],
  [80, 0, 0],
];

/** Options for a time frame that starts and ends during the match. For 6 s of it, the device has no owner. */
export function matchFrame(birthDate: string | null) {
  return {
    from: START_MS + 9_963,
    to: START_MS + 710_000,
    periods: [
      { startMs: START_MS + 546_000, endMs: 32_503_679_999_000 },
      { startMs: 0, endMs: START_MS + 540_000 },
    ],
    birthDate,
  } satisfies MetricsOptions;
}

/** Samples number `offset`, `offset + every`, ... of the match, without the lost ones. */
export function matchSamples(every: number, offset: number): TestSample[] {
  const samples: TestSample[] = [];
  for (let k = offset; k < SAMPLE_COUNT; k += every) {
    if (!isLost(k)) samples.push({ t: START_MS + instantMs(k), speed: speedMmPerS(k), hr: heartRateBpm(k) });
  }
  return samples;
}

function isLost(k: number): boolean {
  return (k >= 1800 && k < 1830) || (k >= 4000 && k < 4005) || k % 89 === 17;
}

function instantMs(k: number): number {
  return k * 100 + (k >= 3000 && k < 3600 ? ((k * 37) % 11) - 5 : 0);
}

function speedMmPerS(k: number): number {
  if (k % 1301 === 400) return -1;
  if (k % 1511 === 700) return 60_000;
  const minute = Math.floor(k / 600);
  const scaled = Math.floor((playSpeed(k % 600) * (80 + 3 * (minute % 13))) / 100);
  const noisy = Math.max(0, scaled + ((k * k * 7 + k * 13) % 61) - 30);
  return k % 997 === 500 ? noisy + 4000 : noisy;
}

function playSpeed(sampleOfMinute: number): number {
  let begin = 0;
  for (const [length, from, to] of MINUTE) {
    if (sampleOfMinute < begin + length) {
      return from + Math.floor(((to - from) * (sampleOfMinute - begin)) / length);
    }
    begin += length;
  }
  throw new RangeError(`A minute has ${begin} samples`);
}

function heartRateBpm(k: number): number {
  if (k % 10 !== 3 || (k >= 2500 && k < 2700)) return 0;
  if (k % 630 === 3) return 250;
  const second = Math.floor(k / 10) % 240;
  return 90 + Math.floor(((second < 120 ? second : 240 - second) * 100) / 120);
}
