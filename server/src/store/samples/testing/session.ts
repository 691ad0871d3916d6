import { allocateColumns, FIX_3D, type SampleColumns } from "../columns.js";

/** Returns a generator of repeatable pseudorandom numbers, uniform in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Interval between the samples of a session, ms. */
export const SESSION_PERIOD_MS = 100;

/**
 * Simulates a training session with a wearable tracker: 10 Hz, an athlete who changes pace and direction, white receiver noise of
 * 1 cm and a slow drift, white noise of 15 mm in height and 40 mm/s in speed, and a heart rate once a second.
 */
export function recordSession(startMs: number, length: number, seed: number): SampleColumns {
  const random = randomNumbers(seed);
  // The variance of the sum of six uniform numbers is 6/12.
  const normal = () => (random() + random() + random() + random() + random() + random() - 3) / Math.SQRT1_2;
  const session = allocateColumns(length);
  const metresPerUnit = 0.0111319;
  let east = 0;
  let north = 0;
  let heading = 0;
  let speed = 3;
  let wantedSpeed = 3;
  let altitude = 200;
  let hr = 140;
  for (let i = 0; i < length; i++) {
    if (random() < 0.01) wantedSpeed = random() * 7;
    speed += (wantedSpeed - speed) * 0.05;
    heading += normal() * 0.03;
    east += Math.sin(heading) * speed * 0.1 + normal() * 0.005;
    north += Math.cos(heading) * speed * 0.1 + normal() * 0.005;
    altitude += normal() * 0.02;
    session.timestampMs[i] = startMs + i * SESSION_PERIOD_MS;
    session.latitudeE7[i] = 450_000_000 + Math.round((north + normal() * 0.01) / metresPerUnit);
    session.longitudeE7[i] = 60_000_000 + Math.round((east + normal() * 0.01) / metresPerUnit);
    session.altitudeMm[i] = Math.round((altitude + normal() * 0.015) * 1000);
    session.speedMmPerS[i] = Math.abs(Math.round(speed * 1000 + normal() * 40));
    session.fixType[i] = FIX_3D;
    if (i % 10 === 0) {
      hr = Math.min(200, Math.max(60, hr + Math.round(normal() * 0.8)));
      session.hr[i] = hr;
    }
  }
  return session;
}
