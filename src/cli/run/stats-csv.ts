import { ZONE_LIMITS_PERCENT } from "../../metrics/heart-rate.js";
import type { Metrics } from "../../metrics/index.js";
import { recordedTimeMs } from "../../metrics/recorded-time.js";
import { type Cell, lineOf, type TextLayout } from "../../squad-report/cell-files.js";
import type { RecordingInfo } from "../../types.js";
import { type SpeedUnit, speedIn } from "../arguments/speed-zones.js";

/** A recording with its figures. */
export interface RecordingMetrics {
  input: string;
  info: RecordingInfo;
  isDamaged: boolean;
  player: string | null;
  metrics: Metrics;
  /** Null for a player who does not take part. */
  periods: readonly { name: string; metrics: Metrics | null }[];
}

/** A row for a recording, or for one of its periods. */
interface StatsRow extends Omit<RecordingMetrics, "metrics" | "periods"> {
  period: string;
  metrics: Metrics | null;
}

/** A row with figures. */
type WithFigures = StatsRow & { metrics: Metrics };

/** Format of the table. */
export interface StatsTableOptions {
  unit: SpeedUnit;
  layout: TextLayout;
  /** Whether thresholds have separate columns instead of being part of column names, because they differ by player. */
  hasPlayers: boolean;
  hasPeriods: boolean;
}

/** The data that a figure requires. */
type Source = "speed" | "heartRate" | "rows" | "options";
type Column = readonly [name: string, source: Source, cell: (recording: WithFigures) => Cell];
type NameColumn = readonly [name: string, cell: (recording: StatsRow) => Cell];

/**
 * Writes the table of `asi stats --format csv`. It has a row for each recording, or for each of its periods, and the name of each column
 * contains a unit. All recordings of a table have the same zones, and therefore the same columns.
 */
export class StatsTable {
  readonly #options: StatsTableOptions;
  #columns: readonly Column[] | null = null;

  constructor(options: StatsTableOptions) {
    this.#options = options;
  }

  /** Returns the lines of a recording. The header line precedes the first recording. */
  linesOf({ metrics, periods, ...recording }: RecordingMetrics): string {
    const header = this.#columns === null ? this.#begin(metrics) : "";
    const rows = [{ name: "whole", metrics }, ...periods].map((part): StatsRow => {
      return { ...recording, period: part.name, metrics: part.metrics };
    });
    return header + rows.map((row) => this.#line(row)).join("");
  }

  #line(row: StatsRow): string {
    const { metrics } = row;
    const names = this.#names.map(([, cell]) => cell(row));
    const figures = (this.#columns ?? []).map(([, source, cell]) =>
      metrics === null || !isKnown(metrics, source) ? null : cell({ ...row, metrics }),
    );
    return lineOf([...names, ...figures], this.#options.layout);
  }

  #begin(metrics: Metrics): string {
    this.#columns = columnsOf(metrics, this.#options);
    const names = [...this.#names, ...this.#columns].map(([name]) => name);
    return lineOf(names, this.#options.layout);
  }

  get #names(): NameColumn[] {
    const { hasPlayers, hasPeriods } = this.#options;
    return [
      ["input", ({ input }) => input],
      ...(hasPlayers ? [["player", ({ player }) => player] satisfies NameColumn] : []),
      ...(hasPeriods ? [["period", ({ period }) => period] satisfies NameColumn] : []),
      ["serial", ({ info }) => info.serial],
      ["damaged", ({ isDamaged }) => (isDamaged ? "yes" : "no")],
    ];
  }
}

function columnsOf(
  { definition, distance_per_speed_ranges, timePerHrZone }: Metrics,
  { unit, layout: { instantText }, hasPlayers }: StatsTableOptions,
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
    ["start", "rows", ({ metrics }) => instant(metrics.first_timestamp)],
    ["end", "rows", ({ metrics }) => instant(metrics.last_timestamp)],
    ["recorded_s", "speed", ({ metrics }) => recordedTimeMs(metrics) / 1000],
    ["distance_m", "speed", ({ metrics }) => metrics.total_distance],
    ["mean_speed_m_per_s", "speed", ({ metrics }) => metrics.average_speed],
    ["max_speed_m_per_s", "speed", ({ metrics }) => metrics.max_speed],
    ...zones.map(
      (zone, i): Column => [
        `distance_${zone}_m`,
        "speed",
        ({ metrics }) => metrics.distance_per_speed_ranges[i]?.distance ?? null,
      ],
    ),
    ...zones.map(
      (zone, i): Column => [
        `time_${zone}_s`,
        "speed",
        ({ metrics }) => metrics.time_per_speed_ranges[i]?.duration ?? null,
      ],
    ),
    ...(hasPlayers
      ? OWN_THRESHOLDS
      : ([
          [
            `distance_high_intensity_from_${speed(run)}_${unitName}_m`,
            "speed",
            ({ metrics }) => metrics.hid_distance.threshold_1,
          ],
          [
            `distance_high_intensity_from_${speed(fastRun)}_${unitName}_m`,
            "speed",
            ({ metrics }) => metrics.hid_distance.threshold_2,
          ],
        ] satisfies Column[])),
    ["sprints", "speed", ({ metrics }) => metrics.sprint.threshold_1.values.length],
    [
      hasPlayers
        ? "distance_sprints_m"
        : `distance_sprints_from_${speed(parameters.sprint_threshold)}_${unitName}_m`,
      "speed",
      ({ metrics }) => metrics.sprint_distance,
    ],
    [
      `accelerations_${low}_to_${high}_m_per_s2`,
      "speed",
      ({ metrics }) => effortCount(metrics, "accelerations", "threshold_1"),
    ],
    [
      `accelerations_from_${high}_m_per_s2`,
      "speed",
      ({ metrics }) => effortCount(metrics, "accelerations", "threshold_2"),
    ],
    [
      `decelerations_${lowBrake}_to_${highBrake}_m_per_s2`,
      "speed",
      ({ metrics }) => effortCount(metrics, "decelerations", "threshold_1"),
    ],
    [
      `decelerations_from_${highBrake}_m_per_s2`,
      "speed",
      ({ metrics }) => effortCount(metrics, "decelerations", "threshold_2"),
    ],
    ["hr_mean_bpm", "heartRate", ({ metrics }) => metrics.hr_avg],
    ["hr_min_bpm", "heartRate", ({ metrics }) => metrics.hr_min],
    ["hr_max_bpm", "heartRate", ({ metrics }) => metrics.hr_max],
    ...(timePerHrZone.length > 0 || hasPlayers ? HR_ZONES : []),
    ["too_fast_rows", "rows", ({ metrics }) => metrics.too_fast.samples],
    ["too_fast_s", "rows", ({ metrics }) => metrics.too_fast.duration],
  ];
}

/** Columns that replace the thresholds in column names. */
const OWN_THRESHOLDS: readonly Column[] = [
  ["high_speed_from_m_per_s", "options", ({ metrics }) => metrics.definition.parameters.hid_thresholds[1]],
  ["distance_high_speed_m", "speed", ({ metrics }) => metrics.hid_distance.threshold_2],
  ["sprint_from_m_per_s", "options", ({ metrics }) => metrics.definition.parameters.sprint_threshold],
  ["max_hr_bpm", "options", ({ metrics }) => metrics.athlete_max_hr],
];

const HR_ZONES = ZONE_LIMITS_PERCENT.slice(1).map((to, i): Column => {
  const from = ZONE_LIMITS_PERCENT[i] ?? 0;
  return [
    `hr_time_${from}_to_${to}_percent_of_max_percent`,
    "heartRate",
    ({ metrics }) => metrics.timePerHrZone[i]?.percentage_hrmax ?? null,
  ];
});

/** Returns whether a figure is known. In the metrics, sums without data are 0. In a table, 0 would mean that the player stood still. */
function isKnown(metrics: Metrics, source: Source): boolean {
  switch (source) {
    case "speed":
      return metrics.max_speed !== null;
    case "heartRate":
      return metrics.hr_avg !== null;
    case "rows":
      return metrics.first_timestamp !== null || metrics.too_fast.samples > 0;
    case "options":
      return true;
  }
}

/** Returns null if the number is unknown. */
function effortCount(
  metrics: Metrics,
  direction: "accelerations" | "decelerations",
  threshold: "threshold_1" | "threshold_2",
): number | null {
  return metrics.has_accelerations ? metrics[direction][threshold].values.length : null;
}
