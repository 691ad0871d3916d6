import { accelerationSignals, fastStretches, RESAMPLED_STEP_MS } from "./acceleration.js";
import { COST_OF_RUNNING, METABOLIC_CAUTION } from "./metabolic-power.js";
import type { MetricsOptions } from "./options.js";
import { inThousandths } from "./parameters.js";
import { milliwattsPerKg } from "./peaks/nodes.js";
import { totalsWithin } from "./prepare.js";
import type { MetricParameters } from "./presets.js";
import { divideRoundingHalfUp, durationSeconds, metres, roundHalfUp } from "./rounding.js";
import type { MetricSamples } from "./samples.js";
import { selectedSignal } from "./selected-signal.js";

/** Version of the rules for metabolic power. */
export const METABOLIC_VERSION = 1;

/** Lower limits of the categories in W/kg (Osgnach et al. 2010). */
const CATEGORIES_W_PER_KG = [0, 10, 20, 35, 55] as const;

/** Limits of the sum of two values in each category, mW/kg. The first category has no lower limit, and the last has no upper limit. */
const DOUBLE_LIMITS_MW_PER_KG = Float64Array.of(
  Number.NEGATIVE_INFINITY,
  ...CATEGORIES_W_PER_KG.slice(1).map((low) => 2000 * low),
  Number.POSITIVE_INFINITY,
);

const NONE = new Int32Array(0);

/**
 * Energy estimated from speed (docs/metrics.md, "Metabolic power"). All values are null unless at least 1 s is recorded at 5 Hz
 * or more.
 */
export interface MetabolicEstimate {
  /** kJ/kg */
  readonly energy: number | null;
  /** Distance in m that has the same energy cost at constant speed on flat ground. */
  readonly equivalent_distance: number | null;
  /** Equivalent distance divided by distance. */
  readonly equivalent_distance_index: number | null;
  /** Time (s) and distance (m) in categories of power (W/kg). */
  readonly categories: readonly {
    readonly threshold_low: number;
    readonly threshold_high: number | null;
    readonly duration: number;
    readonly distance: number;
  }[];
  readonly caution: string;
  readonly definition: { readonly version: number; readonly parameters: MetricParameters };
}

/** Lower limit of high power, W/kg: the third category. */
export const HIGH_POWER_W_PER_KG = CATEGORIES_W_PER_KG[2];

/**
 * The estimate as single values, for tables with one value for each player. All values are null unless at least 1 s is recorded
 * at 5 Hz or more.
 */
export interface MetabolicSummary {
  /** kJ/kg */
  readonly energy: number | null;
  /** Mean power over the time with a known power, W/kg, 2 decimals. */
  readonly mean_power: number | null;
  /** Distance at 20 W/kg or more, m. */
  readonly high_power_distance: number | null;
}

/** Returns an estimate as single values. */
export function metabolicSummary({
  energy,
  equivalent_distance,
  categories,
}: Pick<MetabolicEstimate, "energy" | "equivalent_distance" | "categories">): MetabolicSummary {
  const seconds = categories.reduce((sum, { duration }) => sum + duration, 0);
  const high = categories.filter(({ threshold_low }) => threshold_low >= HIGH_POWER_W_PER_KG);
  return {
    energy,
    // the equivalent distance has more digits than the energy
    mean_power:
      equivalent_distance === null || seconds === 0
        ? null
        : roundHalfUp((equivalent_distance * COST_OF_RUNNING) / seconds, 2),
    high_power_distance:
      energy === null
        ? null
        : roundHalfUp(
            high.reduce((sum, { distance }) => sum + distance, 0),
            3,
          ),
  };
}

/**
 * Estimates the metabolic power of a session. The errors of this estimate are large, so it is off by default.
 *
 * @throws AsiError `BAD_ARGUMENT` for invalid samples; `BAD_OPTION`
 */
export function metabolicEstimate(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): MetabolicEstimate {
  const { signal, parameters } = selectedSignal(samples, options);
  const common = { caution: METABOLIC_CAUTION, definition: { version: METABOLIC_VERSION, parameters } };
  const signals = accelerationSignals(signal);
  if (signals.length === 0) {
    return {
      energy: null,
      equivalent_distance: null,
      equivalent_distance_index: null,
      categories: [],
      ...common,
    };
  }
  const durationMs = new Float64Array(CATEGORIES_W_PER_KG.length);
  const distanceHalfUm = new Float64Array(CATEGORIES_W_PER_KG.length);
  // an integer in units of 0.5 µJ/kg: twice mW/kg, times ms
  let energy = 0;
  const powers = milliwattsPerKg(signals, inThousandths(parameters.standstill_speed));
  for (const [i, part] of signals.entries()) {
    const power = powers[i] ?? NONE;
    const { speedMmPerS } = part;
    let category = 0;
    let low = DOUBLE_LIMITS_MW_PER_KG[0] ?? 0;
    let high = DOUBLE_LIMITS_MW_PER_KG[1] ?? 0;
    let distance = distanceHalfUm[category] ?? 0;
    for (let k = 0; k + 1 < power.length; k++) {
      const sum = (power[k] ?? 0) + (power[k + 1] ?? 0);
      energy += sum * RESAMPLED_STEP_MS;
      if (sum < low || sum >= high) {
        // most values are in the same category as the previous value
        distanceHalfUm[category] = distance;
        while (sum < (DOUBLE_LIMITS_MW_PER_KG[category] ?? 0)) category--;
        while (sum >= (DOUBLE_LIMITS_MW_PER_KG[category + 1] ?? 0)) category++;
        low = DOUBLE_LIMITS_MW_PER_KG[category] ?? 0;
        high = DOUBLE_LIMITS_MW_PER_KG[category + 1] ?? 0;
        distance = distanceHalfUm[category] ?? 0;
      }
      durationMs[category] = (durationMs[category] ?? 0) + RESAMPLED_STEP_MS;
      distance += ((speedMmPerS[k] ?? 0) + (speedMmPerS[k + 1] ?? 0)) * RESAMPLED_STEP_MS;
    }
    distanceHalfUm[category] = distance;
  }
  // only over the time with a known energy
  const distance = totalsWithin(signal, fastStretches(signal)).distanceHalfUm / 2e6;
  const equivalent = energy / 2e6 / COST_OF_RUNNING;
  return {
    energy: divideRoundingHalfUp(energy, 2_000_000_000, 2),
    equivalent_distance: roundHalfUp(equivalent, 1),
    equivalent_distance_index: distance === 0 ? null : roundHalfUp(equivalent / distance, 3),
    categories: CATEGORIES_W_PER_KG.map((low, i) => ({
      threshold_low: low,
      threshold_high: CATEGORIES_W_PER_KG[i + 1] ?? null,
      duration: durationSeconds(durationMs[i] ?? 0),
      distance: metres(Math.round(distanceHalfUm[i] ?? 0)),
    })),
    ...common,
  };
}
