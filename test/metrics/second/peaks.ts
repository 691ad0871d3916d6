import { expect } from "vitest";
import { fitPowerLaw, fitThreeParameters, fitTwoParameters } from "../../../src/metrics/peaks/fits.js";
import { nodesOf } from "../../../src/metrics/peaks/nodes.js";
import { PEAK_AMOUNTS, peakOf } from "../../../src/metrics/peaks/windows.js";
import { selectedSignal } from "../../../src/metrics/selected-signal.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

const WINDOWS = [1, 2, 5, 10, 30, 60];
const HIGH_SPEED_MM_PER_S = 5500;

/** Every window of every amount: the sums are integers and must be equal. */
export function peaksComparison(samples: readonly TestSample[]): Comparison {
  return {
    task: {
      figure: "peaks",
      ...columnsForPython(samples),
      windows: WINDOWS,
      highSpeed: HIGH_SPEED_MM_PER_S,
    },
    compare(answer) {
      const nodes = nodesOf(selectedSignal(columnsOf(samples), {}), {
        highSpeedMmPerS: HIGH_SPEED_MM_PER_S,
        metabolicPower: true,
      });
      const own = Object.fromEntries(
        PEAK_AMOUNTS.map((amount) => [
          amount,
          WINDOWS.map((window) => {
            const peak = nodes && peakOf(nodes, amount, window);
            if (!nodes || !peak) return null;
            return {
              amount: peak.amount,
              coveredMs: peak.coveredMs,
              startMs: nodes.startMs + 100 * peak.node,
            };
          }),
        ]),
      );
      expect(own).toEqual(answer);
    },
  };
}

/** Fits of a curve of peak distances. */
export function fitsComparison(points: readonly (readonly [number, number])[]): Comparison {
  return {
    task: { figure: "fits", points },
    compare(answer) {
      const peaks = points.map(([windowS, distanceM]) => ({ windowS, distanceM }));
      const power = fitPowerLaw(peaks.filter(({ windowS }) => windowS % 60 === 0));
      const two = fitTwoParameters(peaks);
      const three = fitThreeParameters(peaks);
      const { power: p, two: t, three: h } = answer as Record<string, (number | null)[] | null>;
      near(power && [power.exponent, power.ratePerMinuteAt60S, power.r2], p, 1e-9);
      near(two && [two.criticalSpeed, two.dPrime, two.r2], t, 1e-9);
      // The minimum is flat, so both searches end where the sums of squares are equal in double precision.
      near(three && [three.criticalSpeed, three.dPrime, three.maxSpeed, three.tau, three.r2], h, 1e-5);
    },
  };
}

/** Compares numbers with a relative tolerance. */
export function near(
  own: readonly (number | null)[] | null,
  other: readonly (number | null)[] | null | undefined,
  share: number,
): void {
  if (own === null || other === null || other === undefined) {
    expect(own).toEqual(other);
    return;
  }
  expect(own.length).toBe(other.length);
  own.forEach((value, i) => {
    const wanted = other[i] ?? null;
    if (value === null || wanted === null) expect(value).toBe(wanted);
    else
      expect(Math.abs(value - wanted), `${value} and ${wanted}`).toBeLessThanOrEqual(
        share * Math.max(1, Math.abs(wanted)),
      );
  });
}
