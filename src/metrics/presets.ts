/** Two thresholds, the lower one first. */
export type ThresholdPair = readonly [number, number];

/** The parameters of the computation, with the same names as in `params` of a time frame. */
export interface MetricParameters {
  /** Maximum heart rate of the athlete in beats per minute; null to derive it from the age. */
  readonly max_hr: number | null;
  /** Lower limits of the speed classes in m/s, ascending from 0; the last class ends at `max_valid_speed`. */
  readonly speed_ranges: readonly number[];
  /** Limits for the classes of efforts: peak accelerations in m/s2. */
  readonly acceleration_thresholds: ThresholdPair;
  /** Limits for the classes of efforts: peak decelerations in m/s2, as positive numbers. */
  readonly deceleration_thresholds: ThresholdPair;
  /** Speed in m/s at or above which a run is a sprint. */
  readonly sprint_threshold: number;
  /** Speeds in m/s at or above which distance is high-intensity distance. */
  readonly hid_thresholds: ThresholdPair;
  /** Duration of a slice of `intensity` in s. */
  readonly intensity_span: number;
  /** Mean speed in m/s below which an interval counts as standing. */
  readonly standstill_speed: number;
  /** Speed in m/s above which a sample is a measurement error. */
  readonly max_valid_speed: number;
}

/** The sports with JSON schemas for activities and for time frames. */
export const SPORTS = ["biking", "running", "soccer", "swimming", "trailrunning", "triathlon"] as const;

export type Sport = (typeof SPORTS)[number];

/** Named sets of parameters: one for each sport, and two more for football. */
export type PresetName = Sport | "soccer-women" | "soccer-fifa";

/** 12.5 m/s = 45 km/h, above the fastest human (12.4 m/s). */
const FASTEST_ON_FOOT_M_PER_S = 12.5;

const COMMON = {
  max_hr: null,
  acceleration_thresholds: [2, 3],
  deceleration_thresholds: [2, 3],
  intensity_span: 60,
  standstill_speed: 0.2,
  max_valid_speed: FASTEST_ON_FOOT_M_PER_S,
} as const;

/** Classes of 1 m/s for road running; there is no published consensus. */
const RUNNING: MetricParameters = {
  ...COMMON,
  speed_ranges: [0, 2, 3, 4, 5, 6],
  sprint_threshold: 7,
  hid_thresholds: [4, 5],
};

/** 7.2, 14.4, 19.8 and 25.2 km/h: the classes of the studies of men's football by Rampinini and Bradley. */
const SOCCER: MetricParameters = {
  ...COMMON,
  speed_ranges: [0, 2, 4, 5.5, 7],
  sprint_threshold: 7,
  hid_thresholds: [4, 5.5],
};

/**
 * Parameters for women's football: 15.8 and 20.5 km/h, according to Bradley and Vescovi 2015 (IJSPP 10:112) and the review in
 * Appl Sci 2025, 15:5497. Send them to the service as `params`. They are not a default, because a time frame has no field for the
 * sex of the player.
 */
export const SOCCER_WOMEN_PARAMS = {
  speed_ranges: [0, 2, 3.5, 4.4, 5.7],
  sprint_threshold: 5.7,
  hid_thresholds: [3.5, 4.4],
} as const;

/** Parameters for the velocity bands of FIFA's EPTS tests: 7, 15, 20 and 25 km/h. Send them to the service as `params`. */
export const SOCCER_FIFA_BANDS_PARAMS = {
  speed_ranges: [0, 1.944, 4.167, 5.556, 6.944],
  sprint_threshold: 6.944,
  hid_thresholds: [4.167, 5.556],
} as const;

/**
 * The presets. Speeds are in m/s, and spans in s. Computations use `metricParameters` to get the parameters, which also
 * determines the order of the keys.
 */
export const PRESETS: Readonly<Record<PresetName, MetricParameters>> = {
  /** Classes in steps of 10 km/h. */
  biking: {
    ...COMMON,
    speed_ranges: [0, 2.778, 5.556, 8.333, 11.111, 13.889],
    acceleration_thresholds: [1, 2],
    deceleration_thresholds: [1, 2],
    sprint_threshold: 11.111,
    hid_thresholds: [8.333, 9.722],
    max_valid_speed: 30,
  },
  running: RUNNING,
  soccer: SOCCER,
  "soccer-women": { ...SOCCER, ...SOCCER_WOMEN_PARAMS },
  "soccer-fifa": { ...SOCCER, ...SOCCER_FIFA_BANDS_PARAMS },
  /** Speed from satellites is inaccurate in water, because the antenna is submerged during part of every stroke. */
  swimming: {
    ...COMMON,
    speed_ranges: [0, 0.5, 1, 1.5, 2],
    sprint_threshold: 1.8,
    hid_thresholds: [1.2, 1.5],
    standstill_speed: 0.05,
  },
  trailrunning: {
    ...COMMON,
    speed_ranges: [0, 1, 2, 3, 4, 5],
    sprint_threshold: 6,
    hid_thresholds: [3, 4],
  },
  triathlon: RUNNING,
};
