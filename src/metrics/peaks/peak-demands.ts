import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { METABOLIC_CAUTION } from "../metabolic-power.js";
import type { MetricsOptions } from "../options.js";
import { inThousandths } from "../parameters.js";
import type { MetricParameters } from "../presets.js";
import { divideRoundingHalfUp, metres, roundHalfUp } from "../rounding.js";
import type { MetricSamples } from "../samples.js";
import { selectedSignal } from "../selected-signal.js";
import { fitPowerLaw, fitThreeParameters, fitTwoParameters, type PeakDistance } from "./fits.js";
import { NODE_MS, type Nodes, nodesOf } from "./nodes.js";
import { distancePeaks, PEAK_AMOUNTS, type Peak, type PeakAmount, peakOf } from "./windows.js";

/** Version of the rules for peak demands. */
export const PEAKS_VERSION = 1;

/** Default lengths of the windows in s. */
export const PEAK_WINDOWS_S: readonly number[] = [1, 5, 10, 15, 30, 60, 120, 180, 300, 600];

const LONGEST_WINDOW_S = 600;

/** The curve has a window for every second up to this length, then windows in steps of 2 %. */
const EVERY_SECOND_TO_S = 60;

const HALF_MICROMETRES_PER_METRE = 2e6;

export interface PeakOptions extends MetricsOptions {
  /** Lengths of the windows in whole s, 1 to 600. Default: 1, 5, 10, 15, 30, 60, 120, 180, 300, 600. */
  readonly windows?: readonly number[] | undefined;
  /** Speed at or above which distance is high-speed distance, m/s. Default: the last of `hid_thresholds`. */
  readonly highSpeed?: number | undefined;
  /** Whether to estimate metabolic power. Default false; docs/metrics.md explains why. */
  readonly metabolicPower?: boolean | undefined;
  /** Whether to fit the power law and critical speed, which requires 600 windows. Default true. */
  readonly fits?: boolean | undefined;
}

/** The most demanding window of a length. Values are null if no window has enough samples. */
export interface PeakWindow {
  /** s */
  readonly window: number;
  /** m, m/s2, a count, bpm or W/kg. */
  readonly value: number | null;
  /** Start of the window, ms since 1970 UTC. */
  readonly start_time: number | null;
  /** Share of the window that the signal covers, at least 0.9. */
  readonly coverage: number | null;
}

export interface PowerLaw {
  readonly exponent: number;
  /** m/min */
  readonly rate_at_60_s: number;
  readonly r2: number | null;
}

/** Critical speed in this session. It describes the runs, not the ability of the player. */
export interface CriticalSpeed {
  /** m/s */
  readonly critical_speed: number;
  /** m */
  readonly d_prime: number;
  readonly r2: number | null;
}

export interface ThreeParameterCriticalSpeed extends CriticalSpeed {
  /** m/s */
  readonly max_speed: number;
  /** s */
  readonly tau: number;
}

/** The figures that docs/metrics.md describes in "Peak demands". */
export interface PeakDemands {
  readonly peaks: Readonly<Record<Exclude<PeakAmount, "metabolic_power">, PeakWindow[]>> & {
    /** Peaks of metabolic power. Present only if requested. */
    readonly metabolic_power?: PeakWindow[];
  };
  readonly power_law: PowerLaw | null;
  readonly critical_speed: CriticalSpeed | null;
  readonly critical_speed_3: ThreeParameterCriticalSpeed | null;
  /** A caution about metabolic power; absent if it is not requested. */
  readonly caution?: string;
  readonly definition: {
    readonly version: number;
    /** m/s */
    readonly high_speed: number;
    readonly parameters: MetricParameters;
  };
}

/**
 * Finds the most demanding passages of a session. For each window length, it returns the maximum distance, distance at high
 * speed, mean absolute acceleration, number of accelerations and mean heart rate in any window of that length, with the start of
 * this window.
 *
 * @param samples a batch of `decode`, or all of them
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, or more than 72 hours of them; `BAD_OPTION`
 */
export function peakDemands(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: PeakOptions = {},
): PeakDemands {
  const { windows = PEAK_WINDOWS_S, highSpeed, metabolicPower = false, fits = true, ...rest } = options;
  checkWindows(windows);
  const selected = selectedSignal(samples, rest);
  const highSpeedMmPerS = inThousandths(checkedSpeed(highSpeed) ?? selected.parameters.hid_thresholds[1]);
  const nodes = nodesOf(selected, { highSpeedMmPerS, metabolicPower });
  const curve = fits && nodes !== null ? distancePeaks(nodes, LONGEST_WINDOW_S) : null;
  const longDistances = curve?.map(({ windowS, peak }) => ({
    windowS,
    distanceM: peak.amount / HALF_MICROMETRES_PER_METRE,
  }));
  const listOf = (amount: PeakAmount) => windows.map((window) => peakWindow(nodes, amount, window));
  // the peaks for the curve include all these windows
  const distances = () => {
    const peaks = new Map(curve?.map(({ windowS, peak }) => [windowS, peak]));
    return windows.map((window) => describedPeak(nodes, "distance", window, peaks.get(window) ?? null));
  };
  const [distance, highSpeedDistance, acceleration, accelerations, heartRate, power] = PEAK_AMOUNTS;
  return {
    peaks: {
      [distance]: curve === null ? listOf(distance) : distances(),
      [highSpeedDistance]: listOf(highSpeedDistance),
      [acceleration]: listOf(acceleration),
      [accelerations]: listOf(accelerations),
      [heartRate]: listOf(heartRate),
      ...(metabolicPower && { [power]: listOf(power) }),
    },
    power_law: powerLawOf(longDistances),
    critical_speed: criticalSpeedOf(longDistances),
    critical_speed_3: threeParameterOf(longDistances),
    ...(metabolicPower && { caution: METABOLIC_CAUTION }),
    definition: {
      version: PEAKS_VERSION,
      high_speed: highSpeedMmPerS / 1000,
      parameters: selected.parameters,
    },
  };
}

/**
 * Returns the peaks of one amount for a curve, with a window for every second up to 60 s, then in steps of 2 % up to 600 s or the
 * length of the session. In a shorter session, the last window is the whole session.
 *
 * @throws AsiError `BAD_ARGUMENT`, `BAD_OPTION`
 */
export function peakCurve(
  samples: MetricSamples | Iterable<MetricSamples>,
  amount: PeakAmount,
  options: PeakOptions = {},
): PeakWindow[] {
  const { windows: _, highSpeed, metabolicPower: __, fits: ___, ...rest } = options;
  if (!PEAK_AMOUNTS.includes(amount)) {
    throw bad(`amount is ${shown(amount)}; it must be one of ${PEAK_AMOUNTS.join(", ")}.`);
  }
  const selected = selectedSignal(samples, rest);
  const nodes = nodesOf(selected, {
    highSpeedMmPerS: inThousandths(checkedSpeed(highSpeed) ?? selected.parameters.hid_thresholds[1]),
    metabolicPower: amount === "metabolic_power",
  });
  return curveWindows(nodes).map((window) => peakWindow(nodes, amount, window));
}

function curveWindows(nodes: Nodes | null): number[] {
  if (nodes === null) return [];
  const longest = Math.min(LONGEST_WINDOW_S, Math.floor((nodes.last * NODE_MS) / 1000));
  const windows: number[] = [];
  for (let window = 1; window < longest; ) {
    windows.push(window);
    window = window < EVERY_SECOND_TO_S ? window + 1 : Math.max(window + 1, Math.floor((102 * window) / 100));
  }
  return longest === 0 ? [] : [...windows, longest];
}

function peakWindow(nodes: Nodes | null, amount: PeakAmount, window: number): PeakWindow {
  return describedPeak(nodes, amount, window, nodes && peakOf(nodes, amount, window));
}

function describedPeak(
  nodes: Nodes | null,
  amount: PeakAmount,
  window: number,
  peak: Peak | null,
): PeakWindow {
  if (nodes === null || peak === null) return { window, value: null, start_time: null, coverage: null };
  const windowMs = window * 1000;
  return {
    window,
    value: inUnit(amount, peak.amount, amount === "heart_rate" ? peak.coveredMs : windowMs),
    start_time: nodes.startMs + peak.node * NODE_MS,
    coverage: divideRoundingHalfUp(peak.coveredMs, windowMs, 4),
  };
}

function inUnit(amount: PeakAmount, sum: number, durationMs: number): number {
  switch (amount) {
    case "distance":
    case "high_speed_distance":
      return metres(sum);
    case "acceleration":
    case "metabolic_power":
      // the sum of two values in thousandths
      return divideRoundingHalfUp(sum, 2000 * durationMs, 3);
    case "accelerations":
      return sum;
    case "heart_rate":
      return divideRoundingHalfUp(sum, durationMs, 1);
  }
}

function powerLawOf(distances: readonly PeakDistance[] | undefined): PowerLaw | null {
  const fit = fitPowerLaw((distances ?? []).filter(({ windowS }) => windowS % 60 === 0));
  return (
    fit && {
      exponent: roundHalfUp(fit.exponent, 4),
      rate_at_60_s: roundHalfUp(fit.ratePerMinuteAt60S, 1),
      r2: roundedR2(fit.r2),
    }
  );
}

function criticalSpeedOf(distances: readonly PeakDistance[] | undefined): CriticalSpeed | null {
  const fit = hasLongest(distances) ? fitTwoParameters(distances) : null;
  return (
    fit && {
      critical_speed: roundHalfUp(fit.criticalSpeed, 3),
      d_prime: roundHalfUp(fit.dPrime, 1),
      r2: roundedR2(fit.r2),
    }
  );
}

function threeParameterOf(
  distances: readonly PeakDistance[] | undefined,
): ThreeParameterCriticalSpeed | null {
  const fit = hasLongest(distances) ? fitThreeParameters(distances) : null;
  return (
    fit && {
      critical_speed: roundHalfUp(fit.criticalSpeed, 3),
      d_prime: roundHalfUp(fit.dPrime, 1),
      r2: roundedR2(fit.r2),
      max_speed: roundHalfUp(fit.maxSpeed, 2),
      tau: roundHalfUp(fit.tau, 1),
    }
  );
}

function hasLongest(distances: readonly PeakDistance[] | undefined): distances is readonly PeakDistance[] {
  return distances?.at(-1)?.windowS === LONGEST_WINDOW_S;
}

function roundedR2(r2: number | null): number | null {
  return r2 === null ? null : roundHalfUp(r2, 4);
}

function checkWindows(windows: unknown): void {
  const isWindow = (s: unknown) =>
    typeof s === "number" && Number.isInteger(s) && s >= 1 && s <= LONGEST_WINDOW_S;
  if (Array.isArray(windows) && windows.every(isWindow)) return;
  throw bad(`windows must be an array of whole seconds from 1 to ${LONGEST_WINDOW_S}.`);
}

function checkedSpeed(speed: unknown): number | undefined {
  if (speed === undefined) return undefined;
  if (typeof speed === "number" && speed >= 0.1 && speed <= 100) return speed;
  throw bad(`highSpeed is ${shown(speed)}; it must be from 0.1 to 100 m/s.`);
}

function bad(message: string): AsiError {
  return new AsiError("BAD_OPTION", message);
}
