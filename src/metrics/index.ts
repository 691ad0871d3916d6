export { computeMetrics, METRICS_VERSION } from "./compute-metrics.js";
export { type DistanceCurve, distanceCurve } from "./distance-curve.js";
export {
  HIGH_POWER_W_PER_KG,
  METABOLIC_VERSION,
  type MetabolicEstimate,
  type MetabolicSummary,
  metabolicEstimate,
  metabolicSummary,
} from "./energy.js";
export { heartRatePeriods } from "./heart-periods.js";
export * from "./hrv/index.js";
export * from "./load/index.js";
export { METABOLIC_CAUTION } from "./metabolic-power.js";
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
export * from "./peaks/index.js";
export * from "./person/index.js";
export * from "./pitch/index.js";
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
export * from "./recipes/index.js";
export { type MetricSamples, prepareSamples } from "./samples.js";
export { type GapRule, gapsAfter } from "./segments.js";
export * from "./standard-runs/index.js";
