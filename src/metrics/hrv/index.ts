export { type Artefact, correctIntervals, type Label, labelArtefacts } from "./artefacts.js";
export { beatsBetween } from "./beats-between.js";
export { dfaAlpha1 } from "./dfa.js";
export {
  type Beats,
  type HeartRateVariability,
  HRV_VERSION,
  type HrvOptions,
  heartRateVariability,
  intervalLabels,
  LF_HF_CAUTION,
} from "./heart-rate-variability.js";
export { speedsAt } from "./speeds-at.js";
