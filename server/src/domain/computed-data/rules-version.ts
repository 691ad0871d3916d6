import { METRICS_VERSION, PEAKS_VERSION, RECIPES_VERSION } from "asi-convert/metrics";

/** Raised when a figure of the service is added that stored results lack. */
const OWN_VERSION = 1;

/** Increases with the version of any rules of the computation; a stored result with a lower version is recomputed. */
export const RULES_VERSION = METRICS_VERSION + PEAKS_VERSION + RECIPES_VERSION + OWN_VERSION;
