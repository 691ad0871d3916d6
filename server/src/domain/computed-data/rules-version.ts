import {
  METABOLIC_VERSION,
  METRICS_VERSION,
  PEAKS_VERSION,
  PROFILE_VERSION,
  RECIPES_VERSION,
  STANDARD_RUNS_VERSION,
} from "asi-convert/metrics";

/** Increase this number when the service adds a figure that stored results lack. */
const OWN_VERSION = 1;

/** Increases with the version of any rules of the computation. A stored result with a lower version is recomputed. */
export const RULES_VERSION =
  METRICS_VERSION +
  PEAKS_VERSION +
  RECIPES_VERSION +
  PROFILE_VERSION +
  METABOLIC_VERSION +
  STANDARD_RUNS_VERSION +
  OWN_VERSION;
