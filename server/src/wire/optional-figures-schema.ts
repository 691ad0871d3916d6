import {
  COMPUTED_DATA_SCHEMA,
  instant,
  instantOrNull,
  list,
  object,
  quantity,
  quantityOrNull,
} from "./computed-data-schema.js";
import {
  counter,
  NOT_COMPUTED,
  OPTIONAL_DEFINITION_SCHEMAS,
  orNull,
  PROFILE_AND_ESTIMATES,
  RATIO,
  text,
} from "./profile-and-estimates-schema.js";

function peaks(unit: string, description: string) {
  return list(
    `${description} One entry for each window of the definition.`,
    object("The most demanding window of a length; the earliest of equal ones.", {
      window: quantity("s", "Length of the window."),
      value: quantityOrNull(
        unit,
        "The largest amount in a window of this length that is covered to 90 % or more.",
      ),
      start_time: instantOrNull("Start of that window."),
      coverage: quantityOrNull(RATIO, "Share of the window that the samples cover."),
    }),
  );
}

const FIT = {
  critical_speed: quantity("m/s", "Critical speed of this session."),
  d_prime: quantity("m", "Distance above critical speed."),
  r2: quantityOrNull(RATIO, "Coefficient of determination."),
};

/** Returns the schema of an object with members that are present only if requested. */
function objectWith<P extends Record<string, object>, M extends Record<string, object>>(
  description: string,
  properties: P,
  ifRequested: M,
) {
  return { ...object(description, properties), properties: { ...properties, ...ifRequested } } as const;
}

const PEAK_DEMANDS = objectWith(
  "With with_peaks: the most demanding passage of each length. Null when the samples cover more than 12 hours.",
  {
    peaks: objectWith(
      "Peaks by amount.",
      {
        distance: peaks("m", "Distance."),
        high_speed_distance: peaks("m", "Distance at or above high_speed of the definition."),
        acceleration: peaks("m/s2", "Mean absolute acceleration."),
        accelerations: peaks(
          "none, a count",
          "Number of accelerations at or above the lower threshold that begin in the window.",
        ),
        heart_rate: peaks("beats/min", "Mean heart rate; coverage is the share with known heart rates."),
      },
      {
        metabolic_power: peaks(
          "W/kg",
          "With with_metabolic_power: mean metabolic power, an estimate from speed.",
        ),
      },
    ),
    power_law: orNull(
      object(
        "Rate = rate_at_60_s x (window / 60 s)^exponent. Null with fewer than 5 windows that have a distance.",
        {
          exponent: quantity("none", "Exponent."),
          rate_at_60_s: quantity("m/min", "Rate of the window of 60 s."),
          r2: quantityOrNull(RATIO, "Coefficient of determination."),
        },
      ),
    ),
    critical_speed: orNull(
      object(
        "Critical speed with two parameters. It describes the session, not the ability of the athlete. Null if there is no window of 600 s.",
        FIT,
      ),
    ),
    critical_speed_3: orNull(
      object("Critical speed with three parameters. Null if there is no window of 600 s.", {
        ...FIT,
        max_speed: quantity("m/s", "Maximum speed of the model."),
        tau: quantity("s", "Time constant."),
      }),
    ),
  },
  { caution: text("With with_metabolic_power: why the estimate is unreliable, with sources.") },
);

const RECIPE_NAME = {
  name: { type: "string", description: "Name of the recipe." },
  version: counter("Version of the recipe."),
  hash: {
    type: "string",
    description: "SHA-256 of the canonical recipe: results with the same hash can be compared.",
  },
} as const;

const RECIPES = list(
  "Counts of the recipes named in params, in order; absent without recipes.",
  object("One recipe.", {
    ...RECIPE_NAME,
    count: {
      type: ["integer", "null"],
      description:
        "Number of runs. Null when the samples are too slow for the recipe, or too long for it: more than 12 hours, or more than 600,000 of its steps. Unit: none, a count.",
    },
    distance: quantityOrNull("m", "Distance of all runs, rounded once."),
    duration: quantityOrNull("s", "Duration of all runs."),
    runs: orNull(
      list(
        "The runs, in chronological order. Null when there are more than 1,000.",
        object("One run.", {
          start_time: instant("First instant of the run."),
          duration: quantity("s", "Time from the first to the last instant."),
          max_value: quantity(
            "m/s or m/s2",
            "Highest speed or peak acceleration; negative for decelerations.",
          ),
          distance: quantity("m", "Distance covered in the run."),
        }),
      ),
    ),
    dropped: orNull(
      object("Samples that the recipe excludes.", {
        gate: {
          type: "integer",
          description: "Number of samples that the gate of the recipe excludes. Unit: none, a count.",
        },
        too_fast: {
          type: "integer",
          description: "Number of other samples faster than max_valid of the recipe. Unit: none, a count.",
        },
      }),
    ),
  }),
);

/** The optional figures and the figures of the recipes that the time frame names, in the order of the output. */
export const OPTIONAL_FIGURES = {
  peak_demands: orNull(PEAK_DEMANDS),
  session_max_speed: quantityOrNull(
    "m/s",
    "With with_max_speed: the highest speed that is held for 0.5 s, computed from the speed resampled at 10 Hz.",
  ),
  season_max_speed: orNull(
    object(
      "With with_max_speed: the highest session_max_speed of the athlete in the 365 days (UTC) that end with the day of the time frame, from the time frames of the same owner that you may read. Time frames of an activity on one day are one session.",
      {
        max_speed: quantityOrNull("m/s", "The speed. Null if no session is computed yet."),
        day: { type: ["string", "null"], format: "date", description: "Day of that session (UTC)." },
        unconfirmed: {
          type: ["boolean", "null"],
          description:
            "Whether no second session is within 5 %, so that it may be a measurement error. Unit: none.",
        },
        sessions: { type: "integer", description: "Number of compared sessions. Unit: none, a count." },
        not_computed: NOT_COMPUTED,
      },
    ),
  ),
  ...PROFILE_AND_ESTIMATES,
  recipes: RECIPES,
} as const;

const { definition } = COMPUTED_DATA_SCHEMA.properties;

/** The member `definition`, extended by the definitions of the optional figures that the response contains. */
export const FULL_DEFINITION = {
  ...definition,
  properties: {
    ...definition.properties,
    peak_demands: object(
      "With with_peaks: the rules of the peak demands, which also use the other parameters.",
      {
        version: counter("Version of the rules."),
        signal: {
          type: "string",
          const: "doppler_speed",
          description: "The speed measured by the receiver.",
        },
        windows: list("Lengths of the windows.", quantity("s", "Length.")),
        high_speed: quantity("m/s", "Threshold of high-speed distance: the upper one of hid_thresholds."),
      },
    ),
    ...OPTIONAL_DEFINITION_SCHEMAS,
    recipes: list(
      "The recipes of the result.",
      object("One recipe.", {
        ...RECIPE_NAME,
        rules: counter("Version of the rules that evaluate recipes."),
        recipe: { type: "object", additionalProperties: true, description: "The whole recipe." },
      }),
    ),
  },
} as const;
