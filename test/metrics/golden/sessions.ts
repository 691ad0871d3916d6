import type { MetricSamples } from "../../../src/metrics/samples.js";

/** One sample of a test session: time in ms, speed in mm/s (negative for no speed), heart rate in beats per minute (0 for
 * no heart rate). */
export interface TestSample {
  readonly t: number;
  readonly speed: number;
  readonly hr?: number;
  /** Satellites, accuracy of the speed in mm/s, PDOP in hundredths. */
  readonly quality?: readonly [satellites: number, speedAccuracy: number, pdop: number];
}

export const TEN_HZ_MS = 100;

/** Samples as the columns that the computation takes; with quality if the first one has it. */
export function columnsOf(samples: readonly TestSample[]): MetricSamples {
  return {
    length: samples.length,
    timestampMs: Float64Array.from(samples, ({ t }) => t),
    speedMmPerS: Int32Array.from(samples, ({ speed }) => speed),
    hr: Uint8Array.from(samples, ({ hr }) => hr ?? 0),
    ...(samples[0]?.quality !== undefined && {
      quality: {
        satellites: Uint8Array.from(samples, ({ quality }) => quality?.[0] ?? 0),
        speedAccuracyMmPerS: Uint32Array.from(samples, ({ quality }) => quality?.[1] ?? 0),
        pdopHundredths: Uint16Array.from(samples, ({ quality }) => quality?.[2] ?? 0),
      },
    }),
  };
}

/**
 * A session at 10 Hz from time 0.
 *
 * @param count number of samples; the time of sample k is k * 100 ms
 * @param speedAt speed in m/s at a time in s; rounded half up to mm/s, after removing the error of binary fractions
 */
export function tenHertz(count: number, speedAt: (seconds: number, k: number) => number): TestSample[] {
  return Array.from({ length: count }, (_, k) => ({
    t: k * TEN_HZ_MS,
    speed: Math.floor(Number((speedAt(k / 10, k) * 1000).toFixed(6)) + 0.5),
  }));
}

/** Gaussian noise with mean 0 and standard deviation 1 from a seed: mulberry32 and the Box-Muller transform. */
export function gaussianNoise(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
