export {
  type CriticalSpeed,
  PEAK_WINDOWS_S,
  PEAKS_VERSION,
  type PeakDemands,
  type PeakOptions,
  type PeakWindow,
  type PowerLaw,
  peakCurve,
  peakDemands,
  type ThreeParameterCriticalSpeed,
} from "./peak-demands.js";
export { PEAK_AMOUNTS, type PeakAmount } from "./windows.js";
