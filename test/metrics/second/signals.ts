import { gaussOf, xorshift } from "../figures/planted.js";
import type { TestSample } from "../golden/sessions.js";

/**
 * A random signal of minutes at 1 to 25 Hz with jitter. It contains bouts of any speed with noise and spikes, gaps, equal
 * times, samples without a speed, and heart rates with interruptions; the second half of every third signal has longer
 * steps. The first signals are small, with no sample, one sample and two samples.
 */
export function randomSignal(seed: number): TestSample[] {
  const uniform = xorshift(seed * 7919 + 17);
  const stepMs = Math.round(1000 / (1 + Math.floor(25 * uniform())));
  const isJittered = uniform() < 0.3;
  const count = seed < 3 ? seed : 2 + Math.floor((uniform() * 90_000) / stepMs);
  const samples: TestSample[] = [];
  let t = 1_700_000_000_000 + Math.floor(uniform() * 1000);
  let target = 3;
  let v = 0;
  for (let i = 0; i < count; i++) {
    const isSecondPart = seed % 3 === 0 && 2 * i > count;
    if (uniform() < (0.6 * stepMs) / 1000) target = uniform() < 0.2 ? 0 : 9 * uniform();
    v += (target - v) * Math.min(1, stepMs / 900);
    const isMissing = uniform() < 0.01;
    const isWild = uniform() < 0.005;
    const speed = isMissing ? -1 : isWild ? 15_000 : Math.floor(Math.abs(1000 * v + 40 * gaussOf(uniform)));
    const isHeard = uniform() < stepMs / 1200;
    samples.push({ t, speed, hr: isHeard ? Math.floor(25 + 220 * uniform()) : 0 });
    const isEqual = uniform() < 0.01;
    const gap = uniform() < 0.004 ? Math.floor(12_000 * uniform()) : 0;
    t += isEqual
      ? 0
      : gap +
        (isSecondPart ? 900 : 0) +
        stepMs +
        (isJittered ? Math.floor(stepMs * 0.4 * (uniform() - 0.5)) : 0);
  }
  return samples;
}

/** The signal with the quality of random reception, which is mostly good, bad for seconds, and sometimes or always unknown. */
export function withRandomQuality(samples: readonly TestSample[], seed: number): TestSample[] {
  const uniform = xorshift(seed * 15_485_863 + 3);
  const whole = (from: number, to: number) => from + Math.floor((to - from + 1) * uniform());
  const isUnknown = uniform() < 0.05;
  let badUntilMs = 0;
  return samples.map((sample) => {
    if (uniform() < 0.01) badUntilMs = sample.t + whole(0, 8000);
    const isBad = sample.t <= badUntilMs;
    const known = isBad
      ? ([whole(0, 8), whole(200, 3000), whole(200, 9999)] as const)
      : ([whole(5, 20), whole(50, 600), whole(100, 400)] as const);
    return { ...sample, quality: isUnknown || uniform() < 0.01 ? ([0, 0, 0] as const) : known };
  });
}

/** The signal as columns for JSON. */
export function columnsForPython(samples: readonly TestSample[]) {
  return {
    t: samples.map(({ t }) => t),
    v: samples.map(({ speed }) => speed),
    hr: samples.map(({ hr = 0 }) => hr),
    ...(samples[0]?.quality !== undefined && {
      quality: [0, 1, 2].map((column) => samples.map(({ quality }) => quality?.[column] ?? 0)),
    }),
  };
}
