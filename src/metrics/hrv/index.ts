export { type Artefact, correctIntervals, type Label, labelArtefacts } from "./artefacts.js";
export { dfaAlpha1 } from "./dfa.js";
export {
  type Beats,
  type HeartRateVariability,
  HRV_VERSION,
  type HrvOptions,
  heartRateVariability,
} from "./heart-rate-variability.js";
