import { describe, expect, it } from "vitest";
import { lowPassZeroPhase } from "../../src/metrics/butterworth.js";

const SAMPLE_RATE_HZ = 10;

/** Amplitude of a sine of amplitude 1 after the filter, far from the ends; `shift` is its out-of-phase part. */
function responseAt(frequencyHz: number): { gain: number; shift: number } {
  const angle = (k: number) => (2 * Math.PI * frequencyHz * k) / SAMPLE_RATE_HZ;
  const filtered = lowPassZeroPhase(Float64Array.from({ length: 2000 }, (_, k) => Math.sin(angle(k))));
  let inPhase = 0;
  let outOfPhase = 0;
  for (let k = 500; k < 1500; k++) {
    inPhase += (filtered[k] ?? 0) * Math.sin(angle(k)) * (2 / 1000);
    outOfPhase += (filtered[k] ?? 0) * Math.cos(angle(k)) * (2 / 1000);
  }
  return { gain: inPhase, shift: outOfPhase };
}

describe("the zero-phase low pass", () => {
  it.each([
    [0.5, 0.9991],
    [1, 0.9837],
    [1.5, 0.9089],
    [2, Math.SQRT1_2],
    [3, 0.1579],
  ])("passes %d Hz with gain %d, without a shift", (frequencyHz, gain) => {
    const response = responseAt(frequencyHz);
    expect(response.gain).toBeCloseTo(gain, 4);
    expect(response.shift).toBeCloseTo(0, 9);
  });

  it("leaves standstill and a steady ramp unchanged up to their ends", () => {
    const rest = lowPassZeroPhase(Float64Array.from({ length: 11 }, () => 6000));
    for (const value of rest) expect(value).toBeCloseTo(6000, 6);
    const ramp = lowPassZeroPhase(Float64Array.from({ length: 60 }, (_, k) => 100 * k));
    ramp.slice(20, 40).forEach((value, i) => {
      expect(value).toBeCloseTo(100 * (i + 20), 3);
    });
  });

  it("filters a signal shorter than its padding", () => {
    const filtered = lowPassZeroPhase(Float64Array.from([0, 0, 1000]));
    expect(filtered).toHaveLength(3);
    expect(filtered.every(Number.isFinite)).toBe(true);
  });
});
