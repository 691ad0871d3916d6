export { computeMetrics, METRICS_VERSION } from "./compute-metrics.js";
export { type DistanceCurve, distanceCurve } from "./distance-curve.js";
export type {
  AccelerationEffort,
  DistancePerSpeedRange,
  EffortsByThreshold,
  HeartRateZone,
  Intensity,
  Metrics,
  SpeedRun,
  SpeedRuns,
  TimePerSpeedRange,
  TooFast,
} from "./metrics.js";
export type { MetricsOptions, Period } from "./options.js";
export {
  metricParameters,
  PARAMETER_LIMITS,
  PARAMETER_SIZES,
  type ParameterOverrides,
  type ParameterProblem,
  parameterProblems,
  parametersIn,
} from "./parameters.js";
export {
  type MetricParameters,
  PRESETS,
  type PresetName,
  SOCCER_FIFA_BANDS_PARAMS,
  SOCCER_WOMEN_PARAMS,
  SPORTS,
  type Sport,
  type ThresholdPair,
} from "./presets.js";
export type { MetricSamples } from "./samples.js";
export { segmentGapMs } from "./segments.js";
