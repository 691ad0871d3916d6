/**
 * JSON Schema (draft 2020-12) of the computed data of a time frame, in the order of the output. This file is the single
 * definition of the meaning and the unit of every key.
 */

const RATIO = "ratio, 0 to 1";

export function quantity(unit: string, description: string) {
  return { type: "number", description: `${description} Unit: ${unit}.` } as const;
}

export function quantityOrNull(unit: string, description: string) {
  return {
    type: ["number", "null"],
    description: `${description} Null when there is none. Unit: ${unit}.`,
  } as const;
}

export function instant(description: string) {
  return { type: "integer", description: `${description} Unit: ms since 1970-01-01T00:00:00Z.` } as const;
}

export function instantOrNull(description: string) {
  return { ...instant(`${description} Null when there is none.`), type: ["integer", "null"] } as const;
}

/** Returns the schema of an object whose keys are always present. */
export function object<P extends Record<string, object>>(description: string, properties: P) {
  return {
    type: "object",
    description,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  } as const;
}

export function list<I extends object>(description: string, items: I) {
  return { type: "array", description, items } as const;
}

function pairOf<I extends object>(description: string, items: I) {
  return { type: "array", description, items, minItems: 2, maxItems: 2 } as const;
}

const EFFORT_VALUES = {
  start_time: instant("First instant of the effort."),
  max_value: quantity("m/s2", "Peak acceleration; negative for a deceleration."),
  duration: quantity("s", "Time from the first to the last instant, one decimal."),
  distance: quantity("m", "Distance covered during the effort."),
  initial_speed: quantity("m/s", "Speed at the first instant."),
  end_speed: quantity("m/s", "Speed at the last instant."),
};

function effortClass(name: string, which: string) {
  return object(
    `${name} whose peak reaches ${which}. An effort is listed once, under the highest threshold that it reaches.`,
    {
      threshold: quantity("m/s2", "The threshold, also positive for decelerations."),
      values: list(
        `The ${name.toLowerCase()}, in chronological order.`,
        object("One effort.", EFFORT_VALUES),
      ),
    },
  );
}

function efforts(name: string) {
  const thresholds = {
    threshold_1: effortClass(name, "the lower threshold but not the upper one"),
    threshold_2: effortClass(name, "the upper threshold"),
  };
  const description =
    `${name}: changes of speed during which the acceleration stays at or above 0.5 m/s2 in magnitude for at least ` +
    "0.5 s, computed from the speed resampled at 10 Hz and low-pass filtered at 2 Hz (zero phase). The filter overstates the peak of a " +
    "steady ramp by about 4 % and understates that of an explosive start (6.5 m/s2) by about 10 %. Empty for " +
    "recordings slower than 5 Hz.";
  return object(description, thresholds);
}

function speedRuns(description: string) {
  return object(description, {
    threshold: quantity("m/s", "The speed at or above which a stretch counts."),
    values: list(
      "The stretches, in chronological order.",
      object("One stretch.", {
        start_time: instant("First instant of the stretch."),
        duration: quantity("s", "Time from the first to the last instant, one decimal."),
        max_value: quantity("m/s", "Highest speed of the stretch."),
        distance: quantity("m", "Distance covered in the stretch."),
      }),
    ),
  });
}

const RANGE_LIMITS = {
  threshold_low: quantity("m/s", "Lower limit of the class, included."),
  threshold_high: quantity("m/s", "Upper limit of the class, excluded except in the last one."),
};

const THRESHOLDS_M_PER_S2 = pairOf("Lower and upper threshold.", quantity("m/s2", "Peak acceleration."));

/** Rules and parameters of a computation. Results are comparable if their definitions are equal. */
const DEFINITION_SCHEMA = object("The rules and parameters of these figures.", {
  version: {
    type: "integer",
    description: "Version of the rules. Unit: none, a counter.",
  },
  parameters: object("The preset of the sport, merged with the params of the time frame.", {
    max_hr: quantityOrNull("beats/min", "Maximum heart rate from params."),
    speed_ranges: list("Lower limits of the speed classes.", quantity("m/s", "Lower limit.")),
    acceleration_thresholds: THRESHOLDS_M_PER_S2,
    deceleration_thresholds: THRESHOLDS_M_PER_S2,
    sprint_threshold: quantity("m/s", "Speed at or above which a run is a sprint."),
    hid_thresholds: pairOf(
      "Lower and upper threshold.",
      quantity("m/s", "Speed of high-intensity distance."),
    ),
    intensity_span: quantity("s", "Duration of a slice of intensity."),
    standstill_speed: quantity("m/s", "Mean speed below which an interval counts as standing."),
    max_valid_speed: quantity("m/s", "Speed above which a sample is ignored."),
  }),
});

/** JSON Schema of one computed-data object; matches the type `ComputedData` of the domain. */
export const COMPUTED_DATA_SCHEMA = object("Computed data of a time frame.", {
  first_timestamp: instantOrNull("First sample used."),
  last_timestamp: instantOrNull("Last sample used."),
  last_computation: instant("Time when these figures were computed."),
  total_distance: quantityOrNull(
    "m",
    "Distance computed from the receiver's speed; standing and gaps in the recording add nothing.",
  ),
  max_speed: quantityOrNull("m/s", "Highest speed, isolated spikes removed."),
  average_speed: quantityOrNull(
    "m/s",
    "Distance divided by recorded time, which includes standing and excludes gaps.",
  ),
  accelerations: efforts("Accelerations"),
  decelerations: efforts("Decelerations"),
  sprint: object("Sprints.", {
    threshold_1: speedRuns(
      "Stretches at or above the sprint speed for at least 1.0 s; a dip shorter than 0.5 s does not divide a sprint.",
    ),
  }),
  hid: object(
    "Runs of high intensity; hid_distance contains their sums. Each stretch of the second list lies within one of the first.",
    {
      threshold_1: speedRuns("Stretches of any duration at or above the lower speed."),
      threshold_2: speedRuns("Stretches of any duration at or above the upper speed."),
    },
  ),
  time_per_speed_ranges: list(
    "Recorded time in each class of speed; every class is listed.",
    object("One class.", {
      duration: quantity("s", "Time in the class, one decimal."),
      ratio: quantity(RATIO, "Share of the recorded time."),
      ...RANGE_LIMITS,
    }),
  ),
  distance_per_speed_ranges: list(
    "Distance in each class of speed; every class is listed.",
    object("One class.", {
      distance: quantity("m", "Distance covered in the class."),
      ratio: quantity(RATIO, "Share of the total distance."),
      ...RANGE_LIMITS,
    }),
  ),
  intensity: object("Distance over time.", {
    distance: list(
      "One entry per slice from start_time; the last slice may be shorter. Empty if there are no samples.",
      quantity("m", "Distance covered in the slice."),
    ),
    start_time: instant("Start of the time frame."),
    span: quantity("s", "Duration of a slice."),
    end_time: instant("End of the time frame."),
  }),
  hr_max: quantityOrNull("beats/min", "Highest valid heart rate (30 to 240)."),
  hr_min: quantityOrNull("beats/min", "Lowest valid heart rate (30 to 240)."),
  hr_avg: quantityOrNull(
    "beats/min",
    "Average weighted by time; a heart rate is valid until the next one, for at most 5 s.",
  ),
  hr_plot: quantityOrNull("beats/min", "Last valid heart rate of the time frame, for a live chart."),
  athlete_max_hr: quantityOrNull(
    "beats/min",
    "max_hr from params, otherwise 208 - 0.7 x age at start_time (Tanaka et al. 2001).",
  ),
  timePerHrZone: list(
    "Time with a valid heart rate in each of six zones; empty when athlete_max_hr is null.",
    object("One zone.", {
      percentage_hrmax: quantity(
        "percent, 0 to 100",
        "Share of the time with a valid heart rate that was spent in the zone.",
      ),
      range_bpm: pairOf("Limits of the zone.", quantity("beats/min", "Limit.")),
      range_percent_hrmax: pairOf("Limits of the zone.", quantity("percent of athlete_max_hr", "Limit.")),
    }),
  ),
  sprint_distance: quantity("m", "Distance covered in all sprints, summed before it is rounded."),
  hid_distance: object("High-intensity distance, summed before it is rounded.", {
    threshold_1: quantity("m", "Distance covered at or above the lower speed."),
    threshold_2: quantity("m", "Distance covered at or above the upper speed."),
  }),
  has_accelerations: {
    type: "boolean",
    description:
      "Whether the lists of accelerations and decelerations are complete; false if more than 5 % of the recorded time is slower than 5 Hz. The lists then contain at most those of the other parts. Unit: none.",
  },
  too_fast: object(
    "Samples above max_valid_speed, which the figures ignore. A large number indicates that the schema of the activity has the wrong sport.",
    {
      samples: { type: "integer", description: "Number of these samples. Unit: none, a count." },
      duration: quantity(
        "s",
        "Duration of the intervals that begin or end with one of these samples, one decimal.",
      ),
    },
  ),
  definition: DEFINITION_SCHEMA,
});
