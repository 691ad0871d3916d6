import type { Metrics } from "../../metrics/index.js";
import { withoutFormula } from "../../rows/formula-guard.js";
import type { RecordingInfo } from "../../types.js";
import { type SpeedUnit, speedIn } from "../arguments/speed-zones.js";

/** Source of a row of the table. */
export interface RecordingMetrics {
  input: string;
  info: RecordingInfo;
  isDamaged: boolean;
  metrics: Metrics;
}

type Cell = string | number | null;
type Column = readonly [name: string, cell: (recording: RecordingMetrics) => Cell];

/**
 * The table of `asi stats --format csv`: a row for each recording, a unit in the name of each column. All recordings of a table
 * have the same parameters, hence the same columns.
 */
export class StatsTable {
  readonly #unit: SpeedUnit;
  readonly #instantText: (ms: number) => string;
  #columns: readonly Column[] | null = null;

  constructor(unit: SpeedUnit, instantText: (ms: number) => string) {
    this.#unit = unit;
    this.#instantText = instantText;
  }

  /** The line of a recording, after the header line if it is the first. */
  lineOf(recording: RecordingMetrics): string {
    const header = this.#columns === null ? this.#begin(recording.metrics) : "";
    const cells = (this.#columns ?? []).map(([, cell]) => cell(recording));
    return `${header}${cells.map(fieldOf).join(",")}\n`;
  }

  #begin(metrics: Metrics): string {
    this.#columns = columnsOf(metrics, this.#unit, this.#instantText);
    return `${this.#columns.map(([name]) => fieldOf(name)).join(",")}\n`;
  }
}

function columnsOf(
  { definition, distance_per_speed_ranges, timePerHrZone }: Metrics,
  unit: SpeedUnit,
  instantText: (ms: number) => string,
): Column[] {
  const { parameters } = definition;
  const instant = (ms: number | null) => (ms === null ? null : instantText(ms));
  const speed = (limit: number) => speedIn(unit, limit);
  const unitName = unit === "km/h" ? "km_per_h" : "m_per_s";
  const zones = distance_per_speed_ranges.map(({ threshold_low, threshold_high }, i, { length }) =>
    i === length - 1
      ? `from_${speed(threshold_low)}_${unitName}`
      : `${speed(threshold_low)}_to_${speed(threshold_high)}_${unitName}`,
  );
  const [low, high] = parameters.acceleration_thresholds;
  const [lowBrake, highBrake] = parameters.deceleration_thresholds;
  const [run, fastRun] = parameters.hid_thresholds;
  return [
    ["input", ({ input }) => input],
    ["serial", ({ info }) => info.serial],
    ["damaged", ({ isDamaged }) => (isDamaged ? "yes" : "no")],
    ["start", ({ metrics }) => instant(metrics.first_timestamp)],
    ["end", ({ metrics }) => instant(metrics.last_timestamp)],
    ["recorded_s", ({ metrics }) => recordedSeconds(metrics)],
    ["distance_m", ({ metrics }) => metrics.total_distance],
    ["mean_speed_m_per_s", ({ metrics }) => metrics.average_speed],
    ["max_speed_m_per_s", ({ metrics }) => metrics.max_speed],
    ...zones.map(
      (zone, i): Column => [
        `distance_${zone}_m`,
        ({ metrics }) => metrics.distance_per_speed_ranges[i]?.distance ?? null,
      ],
    ),
    ...zones.map(
      (zone, i): Column => [
        `time_${zone}_s`,
        ({ metrics }) => metrics.time_per_speed_ranges[i]?.duration ?? null,
      ],
    ),
    [
      `distance_high_intensity_from_${speed(run)}_${unitName}_m`,
      ({ metrics }) => metrics.hid_distance.threshold_1,
    ],
    [
      `distance_high_intensity_from_${speed(fastRun)}_${unitName}_m`,
      ({ metrics }) => metrics.hid_distance.threshold_2,
    ],
    ["sprints", ({ metrics }) => metrics.sprint.threshold_1.values.length],
    [
      `distance_sprints_from_${speed(parameters.sprint_threshold)}_${unitName}_m`,
      ({ metrics }) => metrics.sprint_distance,
    ],
    [
      `accelerations_${low}_to_${high}_m_per_s2`,
      ({ metrics }) => effortCount(metrics, "accelerations", "threshold_1"),
    ],
    [
      `accelerations_from_${high}_m_per_s2`,
      ({ metrics }) => effortCount(metrics, "accelerations", "threshold_2"),
    ],
    [
      `decelerations_${lowBrake}_to_${highBrake}_m_per_s2`,
      ({ metrics }) => effortCount(metrics, "decelerations", "threshold_1"),
    ],
    [
      `decelerations_from_${highBrake}_m_per_s2`,
      ({ metrics }) => effortCount(metrics, "decelerations", "threshold_2"),
    ],
    ["hr_mean_bpm", ({ metrics }) => metrics.hr_avg],
    ["hr_min_bpm", ({ metrics }) => metrics.hr_min],
    ["hr_max_bpm", ({ metrics }) => metrics.hr_max],
    ...timePerHrZone.map(
      ({ range_percent_hrmax: [from, to] }, i): Column => [
        `hr_time_${from}_to_${to}_percent_of_max_percent`,
        ({ metrics }) => metrics.timePerHrZone[i]?.percentage_hrmax ?? null,
      ],
    ),
    ["too_fast_rows", ({ metrics }) => metrics.too_fast.samples],
    ["too_fast_s", ({ metrics }) => metrics.too_fast.duration],
  ];
}

/** Recorded time in s: standing included, gaps excluded. */
export function recordedSeconds({ time_per_speed_ranges }: Metrics): number {
  // each has one decimal
  return time_per_speed_ranges.reduce((tenths, { duration }) => tenths + Math.round(duration * 10), 0) / 10;
}

/** Null where no accelerations were looked for. */
function effortCount(
  metrics: Metrics,
  direction: "accelerations" | "decelerations",
  threshold: "threshold_1" | "threshold_2",
): number | null {
  return metrics.has_accelerations ? metrics[direction][threshold].values.length : null;
}

// RFC 4180
function fieldOf(cell: Cell): string {
  const text = typeof cell === "string" ? withoutFormula(cell) : String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
