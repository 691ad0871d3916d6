import { instant, list, object, quantity, quantityOrNull } from "./computed-data-schema.js";

export const RATIO = "ratio, 0 to 1";

export function counter(description: string) {
  return { type: "integer", description: `${description} Unit: none, a counter.` } as const;
}

export function orNull<S extends { readonly type: string }>(schema: S) {
  return { ...schema, type: [schema.type, "null"] } as const;
}

export const text = (description: string) => ({ type: "string", description }) as const;

/** Number of time frames without a current result. */
export const NOT_COMPUTED = {
  type: "integer",
  description:
    "Number of time frames of the 365 days that are missing here, because they are not computed or because their computation failed. Unit: none, a count.",
} as const;

const PROFILE = {
  profile: orNull(
    object("The line a = A0 - v / tau. Null if it does not pass the gate of the definition.", {
      a0: quantity("m/s2", "Theoretical maximum acceleration."),
      s0: quantity("m/s", "Theoretical maximum speed."),
      tau: quantity("s", "S0 / A0."),
      r2_before: quantityOrNull(RATIO, "Coefficient of determination before distant points are dropped."),
      r2: quantityOrNull(RATIO, "Coefficient of determination."),
      n_before: {
        type: "integer",
        description: "Number of points before distant points are dropped. Unit: none, a count.",
      },
      n: { type: "integer", description: "Number of points. Unit: none, a count." },
    }),
  ),
  reason: { type: ["string", "null"], description: "Reason why there is no profile; null if there is one." },
  top_speed: quantityOrNull("m/s", "Highest speed of a point."),
  max_speed: quantityOrNull("m/s", "Maximum speed that the profile must match."),
} as const;

const METABOLIC = object(
  "With with_metabolic_power: energy estimated from speed and acceleration. Read the caution. Null when the samples cover more than 12 hours.",
  {
    energy: quantityOrNull("kJ/kg", "Energy; not computed below 5 Hz."),
    equivalent_distance: quantityOrNull(
      "m",
      "Distance at constant speed on flat ground that takes the same energy.",
    ),
    equivalent_distance_index: quantityOrNull("none", "Equivalent distance divided by distance."),
    categories: list(
      "Time and distance by power; empty below 5 Hz.",
      object("One category.", {
        threshold_low: quantity("W/kg", "Lower limit."),
        threshold_high: quantityOrNull("W/kg", "Upper limit."),
        duration: quantity("s", "Time."),
        distance: quantity("m", "Distance."),
      }),
    ),
    caution: text("Why the estimate is unreliable, with sources."),
  },
);

const STANDARD_RUNS = object(
  "With with_standard_runs, experimental: steady runs of at least 4 minutes. Null when the samples cover more than 12 hours.",
  {
    runs: list(
      "The runs, in chronological order.",
      object("One run.", {
        start_time: instant("First second of the run."),
        duration: quantity("s", "Length."),
        mean_speed: quantity("m/s", "Mean speed."),
        heart_rate: quantityOrNull("beats/min", "Mean heart rate of its last 30 s."),
      }),
    ),
    caution: text("What has not been tested, with the source."),
  },
);

/** The members of three of the optional figures: profile, metabolic power and standard runs. */
export const PROFILE_AND_ESTIMATES = {
  acceleration_speed: orNull(
    object(
      "With with_profile: the acceleration-speed profile of these samples, which must match their own maximum speed. Null when they cover more than 12 hours.",
      PROFILE,
    ),
  ),
  pooled_acceleration_speed: object(
    "With with_profile, for a single time frame: the profile of the 28 days (UTC) that end with the day of the time frame, from the time frames of the same owner that you may read. It must match season_max_speed, so there is no profile while time frames of these 365 days are not computed. Of overlapping time frames, only the longest one is used.",
    {
      ...PROFILE,
      sessions: { type: "integer", description: "Number of sessions with running. Unit: none, a count." },
      not_computed: NOT_COMPUTED,
    },
  ),
  metabolic: orNull(METABOLIC),
  standard_runs: orNull(STANDARD_RUNS),
} as const;

const VERSION = { version: counter("Version of the rules.") };

const GATE = object("Limits that a profile must meet, inclusive.", {
  least_r2_before: quantity(RATIO, "Coefficient of determination before distant points are dropped."),
  least_n_before: counter("Number of points before distant points are dropped."),
  least_top_class_share: quantity(
    RATIO,
    "Lower limit of the fastest class of 0.2 m/s, divided by the maximum speed.",
  ),
  least_s0_share: quantity("ratio", "S0 divided by the maximum speed."),
  most_s0_share: quantity("ratio", "S0 divided by the maximum speed."),
});

const OF_PROFILE = "With with_profile: the rules of the acceleration-speed profile.";

/** The definitions of these figures. */
export const OPTIONAL_DEFINITION_SCHEMAS = {
  acceleration_speed: object(OF_PROFILE, {
    ...VERSION,
    days: quantity("d", "Days whose sessions are pooled."),
    gate: GATE,
  }),
  metabolic: object("With with_metabolic_power: the rules of metabolic power.", VERSION),
  standard_runs: object("With with_standard_runs: the rules of standard runs.", VERSION),
} as const;

/** The definitions of these figures for the table of a session, which does not pool sessions. */
export const TABLE_DEFINITION_SCHEMAS = {
  ...OPTIONAL_DEFINITION_SCHEMAS,
  acceleration_speed: object(OF_PROFILE, { ...VERSION, gate: GATE }),
} as const;
