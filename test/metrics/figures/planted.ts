/**
 * Signals with a planted truth, made by integers of a xorshift32 generator (Marsaglia 2003), so that any language can repeat
 * them. The goldens in expected/ were computed from the same signals by programs that share no line with the library.
 */
import type { TestSample } from "../golden/sessions.js";

export const T0 = 1_760_000_000_000;

/** Uniform numbers in [0, 1). */
export function xorshift(seed: number): () => number {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  };
}

/** The sum of twelve uniform numbers less 6: a standard deviation of 1. */
export function gaussOf(uniform: () => number): number {
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += uniform();
  return sum - 6;
}

const half = (x: number) => Math.floor(x + 0.5);

/** 2 m/s for 20 minutes with 10 s at 7 m/s; heart rate 120, and 180 for one minute. */
export function plantedStep(): TestSample[] {
  return Array.from({ length: 12_001 }, (_, i) => ({
    t: T0 + 100 * i,
    speed: i >= 6000 && i <= 6100 ? 7000 : 2000,
    hr: i % 10 !== 0 ? 0 : i >= 6050 && i < 6650 ? 180 : 120,
  }));
}

/** 90 minutes of random bouts at 10 Hz with noise, spikes, gaps of 0.8, 3 and 40 s, and 300 s without a heart rate. */
export function plantedMatch(): TestSample[] {
  const uniform = xorshift(20_260_723);
  const samples: TestSample[] = [];
  let target = 1.5;
  let v = 1.5;
  let hr = 110;
  let left = 0;
  for (let i = 0; i < 54_000; i++) {
    if (left <= 0) {
      const k = uniform();
      target = k < 0.15 ? 0 : k < 0.5 ? 1.5 : k < 0.78 ? 3 : k < 0.93 ? 5 : 6 + 3 * uniform();
      left = Math.trunc(30 + 120 * uniform());
    }
    left--;
    v += ((target - v) * 0.1) / (target > v ? 1.2 : 0.8);
    hr += ((95 + 16 * v - hr) * 0.1) / 35;
    let speed = Math.abs(v + 0.05 * gaussOf(uniform));
    if (uniform() < 0.0005) speed = 11;
    const isGap = (i >= 10_000 && i < 10_008) || (i >= 20_000 && i < 20_030) || (i >= 30_000 && i < 30_400);
    if (isGap) continue;
    const isHeard = i % 10 === 0 && !(i >= 40_000 && i < 43_000);
    samples.push({ t: T0 + 100 * i, speed: half(speed * 1000), hr: isHeard ? half(hr) : 0 });
  }
  return samples;
}

/**
 * The planted match with what a receiver says: satellites, accuracy of the speed, PDOP. The spikes are inaccurate; now and then the
 * reception is bad for up to 20 s, with speeds that are off by 0.5 m/s.
 */
export function plantedReception(): TestSample[] {
  const uniform = xorshift(20_261_126);
  const whole = (from: number, to: number) => from + Math.floor((to - from + 1) * uniform());
  let badUntilMs = 0;
  return plantedMatch().map((sample) => {
    if (uniform() < 0.0005) badUntilMs = sample.t + whole(500, 20_000);
    if (sample.t < badUntilMs) {
      const quality = [whole(3, 7), whole(400, 2000), whole(300, 1200)] as const;
      return { ...sample, speed: Math.max(0, sample.speed + whole(-500, 500)), quality };
    }
    const accuracy = sample.speed === 11_000 ? 3000 : whole(80, 350);
    return { ...sample, quality: [whole(8, 16), accuracy, whole(110, 280)] };
  });
}

const thousandths = (x: number) => Number(x.toFixed(3));

/** RR intervals of 300 s: waves of 30 ms at 0.1 Hz and of 20 ms at 0.25 Hz, so LF 450 and HF 200 ms2. */
export function plantedSinus(): number[] {
  const rr: number[] = [];
  for (let t = 0; t < 300; ) {
    const ms = 1000 + 30 * Math.sin(2 * Math.PI * 0.1 * t) + 20 * Math.sin(2 * Math.PI * 0.25 * t);
    rr.push(thousandths(ms));
    t += ms / 1000;
  }
  return rr;
}

/** 20,000 RR intervals of white noise. */
export function plantedWhiteNoise(): number[] {
  const uniform = xorshift(99);
  return Array.from({ length: 20_000 }, () => thousandths(800 + 20 * gaussOf(uniform)));
}

/** 600 RR intervals with three premature beats, one missed and one extra. */
export function plantedArtefacts(): number[] {
  const uniform = xorshift(5);
  const base = Array.from({ length: 600 }, (_, i) =>
    Math.round(700 + 25 * Math.sin((2 * Math.PI * i) / 17) + 8 * gaussOf(uniform)),
  );
  for (const b of [60, 200, 340]) {
    base[b] = (base[b] ?? 0) - 180;
    base[b + 1] = (base[b + 1] ?? 0) + 180;
  }
  return base.flatMap((ms, i) => {
    if (i === 120) return [ms + (base[121] ?? 0)];
    if (i === 121) return [];
    const third = Math.floor(ms / 3);
    return i === 260 ? [third, ms - third] : [ms];
  });
}

/** Distance, distance at high speed and TRIMP of 56 days: a match each Friday, rest at the weekend. */
export function plantedLoad(): [distance: number, highSpeed: number, trimp: number][] {
  const uniform = xorshift(11);
  return Array.from({ length: 56 }, (_, day) => {
    if (day % 7 > 4) return [0, 0, 0];
    if (day % 7 === 4) return [10_400, 620, 180];
    const distance = Math.floor(3500 + 4500 * uniform());
    const highSpeed = Math.floor(40 + 400 * uniform());
    return [distance, highSpeed, Math.floor(40 + 90 * uniform())];
  });
}

/** 40 sprints v = 9.2 (1 - exp(-t / tau)) with 85 to 100 % of 7 m/s2 at the start, between rests of 5 s; `noise` in m/s. */
export function plantedSprints(noise: number): TestSample[] {
  const uniform = xorshift(7);
  const samples: TestSample[] = [];
  const put = (speed: number) => {
    const value = half(1000 * (speed + noise * gaussOf(uniform)));
    samples.push({ t: T0 + 100 * samples.length, speed: Math.max(0, value) });
  };
  for (let sprint = 0; sprint < 40; sprint++) {
    for (let i = 0; i < 50; i++) put(0);
    const tau = 9.2 / (7 * (0.85 + 0.15 * uniform()));
    const count = Math.trunc(20 + 50 * uniform());
    let speed = 0;
    for (let k = 0; k < count; k++) {
      speed = 9.2 * (1 - Math.exp((-k * 0.1) / tau));
      put(speed);
    }
    while (speed > 0) {
      speed = Math.max(0, speed - 0.35);
      put(speed);
    }
  }
  return samples;
}
