export {
  type ComparedRun,
  type HeartRateResponse,
  heartRateResponse,
  type StandardRunChanges,
  standardRunChanges,
} from "./changes.js";
export {
  STANDARD_RUNS_CAUTION,
  STANDARD_RUNS_VERSION,
  type StandardRun,
  type StandardRuns,
  standardRuns,
} from "./standard-runs.js";
