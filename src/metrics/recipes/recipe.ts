/**
 * The complete definition of a count, beginning with the samples: all choices that affect it, as integers. docs/metrics.md, "Recipes",
 * describes each key. Speeds in mm/s, accelerations in mm/s2, times in ms. Keys without an effect are omitted; `gate`, `smooth`
 * and `derivative` are null.
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
  /** Intervals below it count as standing; 0 if it is omitted. */
  readonly standstill?: number;
  readonly resample_ms?: number;
  readonly smooth: RecipeSmoothing | null;
  readonly derivative: { readonly order: 1; readonly type: "central" } | null;
  /** -1 for decelerations. */
  readonly sign?: 1 | -1;
  /** The values compared with the limits: each value, or the mean of each two neighbouring ones. */
  readonly on: "interval_mean" | "sample";
  /** A run begins at or above it. */
  readonly enter: number;
  /** A run ends below it. */
  readonly exit: number;
  /** Number of neighbouring values that must reach `enter` for a run to begin; default 1. */
  readonly confirm_samples?: number;
  /** Shorter runs do not count. */
  readonly min_ms: number;
  /** Runs of a segment that are less than this apart are joined. */
  readonly merge_ms: number;
  /** Runs with a lower peak do not count. */
  readonly peak_min?: number;
  /** A value above it ends a run and belongs to none. */
  readonly artefact?: number;
  readonly rounding: "half_up";
}

/** Samples that do not pass it are treated as missing. At least one limit. */
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
      /** Whether both passes together have half the power at the cut-off, or each of them. */
      readonly corrected: boolean;
    }
  /** The mean of an odd number of values; the ends repeat. */
  | { readonly type: "mean"; readonly samples: number };
