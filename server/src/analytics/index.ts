export { analyse, DEFINITION_VERSION } from "./compute.js";
export type { ComputedData } from "./computed-data.js";
export {
  effectiveParameters,
  type ParameterOverrides,
  type ParameterProblem,
  parameterProblems,
} from "./parameters.js";
export { type AnalysisParameters, SPORTS, type Sport } from "./presets.js";
export {
  type AnalysisFrame,
  NO_HEART_RATE,
  NO_SPEED,
  type OwnershipInterval,
  type SampleColumns,
} from "./samples.js";
