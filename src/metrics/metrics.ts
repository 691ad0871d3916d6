import type { MetricParameters } from "./presets.js";

/** An acceleration or a deceleration: the complete change of speed, including the part below the threshold. */
export interface AccelerationEffort {
  /** ms since 1970 UTC. */
  readonly start_time: number;
  /** Peak acceleration in m/s2; negative for a deceleration. */
  readonly max_value: number;
  /** s */
  readonly duration: number;
  /** m */
  readonly distance: number;
  /** m/s */
  readonly initial_speed: number;
  /** m/s */
  readonly end_speed: number;
}

/** Efforts whose peak reaches `threshold_1` but not `threshold_2`, and efforts whose peak reaches `threshold_2`. */
export interface EffortsByThreshold {
  readonly threshold_1: { readonly threshold: number; readonly values: readonly AccelerationEffort[] };
  readonly threshold_2: { readonly threshold: number; readonly values: readonly AccelerationEffort[] };
}

/** A time at or above a speed. */
export interface SpeedRun {
  /** ms since 1970 UTC. */
  readonly start_time: number;
  /** s */
  readonly duration: number;
  /** Peak speed in m/s. */
  readonly max_value: number;
  /** m */
  readonly distance: number;
}

export interface SpeedRuns {
  /** m/s */
  readonly threshold: number;
  readonly values: readonly SpeedRun[];
}

interface SpeedRange {
  /** Share of the whole, 0 to 1. */
  readonly ratio: number;
  /** m/s; included. */
  readonly threshold_low: number;
  /** m/s; excluded, except in the last class. */
  readonly threshold_high: number;
}

export interface TimePerSpeedRange extends SpeedRange {
  /** s */
  readonly duration: number;
}

export interface DistancePerSpeedRange extends SpeedRange {
  /** m */
  readonly distance: number;
}

export interface Intensity {
  /** m in each slice. */
  readonly distance: readonly number[];
  /** Start of the first slice: `from`, or the first sample; null if there is neither. ms since 1970 UTC. */
  readonly start_time: number | null;
  /** Duration of a slice in s. */
  readonly span: number;
  /** End of the last slice: `to`, or the last sample; null if there is neither. ms since 1970 UTC. */
  readonly end_time: number | null;
}

export interface HeartRateZone {
  /** Share of the time with a valid heart rate that is in the zone, 0 to 100 percent. */
  readonly percentage_hrmax: number;
  /** Limits in beats per minute. */
  readonly range_bpm: readonly [number, number];
  /** Limits in percent of the athlete's maximum heart rate. */
  readonly range_percent_hrmax: readonly [number, number];
}

/** Samples above the highest valid speed. */
export interface TooFast {
  readonly samples: number;
  /** Duration in s of the recorded intervals that begin or end with one of them. */
  readonly duration: number;
}

/**
 * The figures of a session, with the keys that the service uses. The keys are always in this order, so `JSON.stringify` returns
 * the same text for the same samples.
 */
export interface Metrics {
  /** First sample used, ms since 1970 UTC. */
  readonly first_timestamp: number | null;
  /** Last sample used, ms since 1970 UTC. */
  readonly last_timestamp: number | null;
  /** m; standing and gaps in the recording add nothing. */
  readonly total_distance: number | null;
  /** m/s, without isolated spikes. */
  readonly max_speed: number | null;
  /** m/s: distance divided by recorded time, which includes standing and excludes gaps. */
  readonly average_speed: number | null;
  readonly accelerations: EffortsByThreshold;
  readonly decelerations: EffortsByThreshold;
  readonly sprint: { readonly threshold_1: SpeedRuns };
  /** High-intensity distance. Each run in the second list is within a run in the first list. */
  readonly hid: { readonly threshold_1: SpeedRuns; readonly threshold_2: SpeedRuns };
  readonly time_per_speed_ranges: readonly TimePerSpeedRange[];
  readonly distance_per_speed_ranges: readonly DistancePerSpeedRange[];
  readonly intensity: Intensity;
  /** Highest valid heart rate (30 to 240 beats per minute). */
  readonly hr_max: number | null;
  readonly hr_min: number | null;
  /** Mean heart rate, weighted by time. A heart rate is valid until the next one, for at most 5 s. */
  readonly hr_avg: number | null;
  /** Last valid heart rate. */
  readonly hr_plot: number | null;
  /** The maximum heart rate for the zones; null if it is unknown. */
  readonly athlete_max_hr: number | null;
  /** Empty if `athlete_max_hr` is null. */
  readonly timePerHrZone: readonly HeartRateZone[];
  /** m in all sprints. Distances are summed before rounding, as in `hid_distance`. */
  readonly sprint_distance: number;
  /** m in all runs of `hid`. */
  readonly hid_distance: { readonly threshold_1: number; readonly threshold_2: number };
  /**
   * Whether the lists of accelerations and decelerations are complete; false if more than 5 % of the recorded time has fewer than 5
   * samples per second. The lists then contain at most those of the other parts.
   */
  readonly has_accelerations: boolean;
  /**
   * Rows that are excluded from the figures because they are faster than `max_valid_speed`. A large number indicates that the
   * wrong sport is selected.
   */
  readonly too_fast: TooFast;
  /** The rules and parameters of the computation. Clients receive them on request. */
  readonly definition: { readonly version: number; readonly parameters: MetricParameters };
}
