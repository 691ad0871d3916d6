/**
 * The complete definition of a count: all choices that affect it, from the selection of samples on, as integers. docs/metrics.md,
 * "Recipes", describes each key. Speeds are in mm/s, accelerations in mm/s2, and times in ms. Keys without an effect are omitted,
 * except that `gate`, `smooth` and `derivative` are null.
 */
export interface Recipe {
  readonly recipe: 1;
  readonly source: "doppler_speed";
  /** Samples with a lower quality are dropped. */
  readonly gate: RecipeGate | null;
  /** A faster sample is a measurement error. */
  readonly max_valid: number;
  /** Samples further apart than both of these are in different segments. */
  readonly gap: { readonly min_ms: number; readonly steps: number };
  readonly spike?: { readonly type: "median"; readonly samples: 3 };
  /** Intervals below this speed count as standing; default 0. */
  readonly standstill?: number;
  readonly resample_ms?: number;
  readonly smooth: RecipeSmoothing | null;
  readonly derivative: { readonly order: 1; readonly type: "central" } | null;
  /** -1 for decelerations. */
  readonly sign?: 1 | -1;
  /** The values that are compared with the limits: each value, or the mean of every two neighbouring values. */
  readonly on: "interval_mean" | "sample";
  /** A run begins at or above this value. */
  readonly enter: number;
  /** A run ends below this value. */
  readonly exit: number;
  /** Number of neighbouring values that must reach `enter` for a run to begin; default 1. */
  readonly confirm_samples?: number;
  /** Shorter runs do not count. */
  readonly min_ms: number;
  /** Runs in a segment that are less than this apart are joined. */
  readonly merge_ms: number;
  /** Runs with a lower peak do not count. */
  readonly peak_min?: number;
  /** A value above this ends a run, and belongs to no run. */
  readonly artefact?: number;
  readonly rounding: "half_up";
}

/** Samples that do not pass the gate are treated as missing. A gate has at least one limit. */
export interface RecipeGate {
  readonly min_satellites?: number;
  /** mm/s */
  readonly max_speed_accuracy?: number;
  readonly max_pdop_hundredths?: number;
}

export type RecipeSmoothing =
  | {
      readonly type: "butterworth";
      readonly order: 2;
      readonly cutoff_mhz: number;
      readonly zero_phase: true;
      /** Whether both passes together have half power at the cut-off, or each of the two passes. */
      readonly corrected: boolean;
    }
  /** The mean of an odd number of values. The first and last values repeat beyond the ends. */
  | { readonly type: "mean"; readonly samples: number };
