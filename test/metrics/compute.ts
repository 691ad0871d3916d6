import {
  computeMetrics,
  type Metrics,
  type MetricsOptions,
  type ParameterOverrides,
} from "../../src/metrics/index.js";
import { columnsOf, type TestSample } from "./golden/sessions.js";

export const NO_SPEED = -1;

/** Computes the metrics of the first ten minutes, for soccer. */
export function compute(
  samples: readonly TestSample[],
  { frame = {}, params = {} }: { frame?: MetricsOptions; params?: ParameterOverrides } = {},
): Metrics {
  return computeMetrics(columnsOf(samples), { preset: "soccer", from: 0, to: 600_000, params, ...frame });
}

/** Returns samples at a fixed step from instant 0, with speeds in mm/s. */
export const every = (stepMs: number, speeds: readonly number[]): TestSample[] =>
  speeds.map((speed, i) => ({ t: i * stepMs, speed }));

export const countOf = (data: Metrics) => data.accelerations.threshold_2.values.length;

export const constant = (count: number, speed: number) => Array.from({ length: count }, () => speed);
