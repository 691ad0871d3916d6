import type { EffortsByThreshold, Metrics } from "../../metrics/index.js";
import { recordedTimeMs } from "../../metrics/recorded-time.js";
import { KM_PER_H } from "../../metrics/rounding.js";
import { decimalText, percentText, tooFastText } from "../../pictures/figure-text.js";
import type { RecordingInfo } from "../../types.js";
import { speedIn } from "../arguments/speed-zones.js";
import { timeSpanText } from "../terminal/time-text.js";

type Line = readonly [label: string, value: string];

const LABEL_WIDTH = 18;

/** Formats the figures of a recording. */
export function statsText(
  name: string,
  info: RecordingInfo,
  metrics: Metrics,
  instantText: (ms: number) => string,
): string {
  if (metrics.first_timestamp === null && metrics.too_fast.samples === 0)
    return `${name}\n  no data in the period\n`;
  const lines = [...generalLines(info, metrics, instantText), ...zoneLines(metrics), ...effortLines(metrics)];
  const text = [...lines, ...heartRateLines(metrics)].map(([label, value]) =>
    `  ${label.padEnd(LABEL_WIDTH)}${value}`.trimEnd(),
  );
  return `${name}\n${text.join("\n")}\n`;
}

function generalLines(
  { serial }: RecordingInfo,
  metrics: Metrics,
  instantText: (ms: number) => string,
): Line[] {
  const { first_timestamp: first, last_timestamp: last, total_distance, average_speed, max_speed } = metrics;
  const tooFast = tooFastText(metrics);
  const recorded = timeSpanText(recordedTimeMs(metrics));
  return [
    ["serial", serial],
    ...(first === null || last === null
      ? []
      : [
          ["start", instantText(first)] as const,
          ["end", instantText(last)] as const,
          ["duration", `${timeSpanText(last - first)}, of which ${recorded} recorded`] as const,
        ]),
    ["distance", total_distance === null ? "none" : metresText(total_distance)],
    ["mean speed", average_speed === null ? "none" : speedText(average_speed)],
    ["maximum speed", max_speed === null ? "none" : speedText(max_speed)],
    ...(tooFast === null ? [] : [["ignored", `${tooFast} See --sport.`] as const]),
  ];
}

function zoneLines({ max_speed, distance_per_speed_ranges, time_per_speed_ranges }: Metrics): Line[] {
  if (max_speed === null) return [["speed zones", "none"]];
  const last = distance_per_speed_ranges.length - 1;
  const limits = distance_per_speed_ranges.map(({ threshold_low, threshold_high }, i) => {
    const kmPerH = (limit: number) => speedIn("km/h", limit);
    return i === last
      ? `from ${kmPerH(threshold_low)} km/h`
      : `${kmPerH(threshold_low)} to ${kmPerH(threshold_high)} km/h`;
  });
  const width = Math.max(...limits.map((text) => text.length));
  return distance_per_speed_ranges.map(({ distance, ratio }, i) => {
    const time = time_per_speed_ranges[i];
    const cells = [
      (limits[i] ?? "").padEnd(width),
      metresText(distance).padStart(11),
      percentText(ratio).padStart(8),
      timeSpanText(Math.round(time?.duration ?? 0) * 1000).padStart(10),
      percentText(time?.ratio ?? 0).padStart(8),
    ];
    return [i === 0 ? "speed zones" : "", cells.join("")];
  });
}

function effortLines(metrics: Metrics): Line[] {
  const { max_speed, has_accelerations, accelerations, decelerations } = metrics;
  // without data, the text must not say that there were no efforts, or that there were too few rows per second
  if (max_speed === null) return EFFORTS.map((label) => [label, "none"]);
  return [
    ["sprints", sprintsText(metrics)],
    ["high intensity", highIntensityText(metrics)],
    ["accelerations", has_accelerations ? effortsText(accelerations) : TOO_SLOW],
    ["decelerations", has_accelerations ? effortsText(decelerations) : TOO_SLOW],
  ];
}

const EFFORTS = ["sprints", "high intensity", "accelerations", "decelerations"];
const TOO_SLOW = "unknown: nearly all of the time must have at least 5 samples per second";

function sprintsText({ sprint: { threshold_1: sprints }, sprint_distance }: Metrics): string {
  const text = `${sprints.values.length} from ${speedIn("km/h", sprints.threshold)} km/h, ${metresText(sprint_distance)}`;
  const longest = Math.max(...sprints.values.map(({ distance }) => distance));
  return sprints.values.length === 0 ? text : `${text}, the longest ${metresText(longest)}`;
}

function highIntensityText({ hid, hid_distance }: Metrics): string {
  const text = (threshold: "threshold_1" | "threshold_2") =>
    `${metresText(hid_distance[threshold])} from ${speedIn("km/h", hid[threshold].threshold)} km/h`;
  return `${text("threshold_1")}, ${text("threshold_2")}`;
}

function effortsText({ threshold_1, threshold_2 }: EffortsByThreshold): string {
  const [low, high] = [threshold_1, threshold_2];
  return `${low.values.length} with a peak of ${low.threshold} to ${high.threshold} m/s2, ${high.values.length} from ${high.threshold} m/s2`;
}

function heartRateLines({ hr_avg, hr_min, hr_max, athlete_max_hr, timePerHrZone }: Metrics): Line[] {
  if (hr_avg === null) return [["heart rate", "none"]];
  const summary: Line = ["heart rate", `mean ${hr_avg} bpm, ${hr_min} to ${hr_max} bpm`];
  if (athlete_max_hr === null) return [summary, ["heart-rate zones", "need --max-hr"]];
  return [
    summary,
    ...timePerHrZone.map(
      ({ range_bpm: [low, high], range_percent_hrmax: [from, to], percentage_hrmax }, i): Line => {
        const limits = `${from} to ${to} % of ${athlete_max_hr} bpm`.padEnd(26);
        const bpm = `${low} to ${high} bpm`.padEnd(20);
        return [
          i === 0 ? "heart-rate zones" : "",
          `${limits}${bpm}${`${decimalText(percentage_hrmax, 1)} %`.padStart(7)}`,
        ];
      },
    ),
  ];
}

function metresText(metres: number): string {
  return `${metres.toLocaleString("en", { maximumFractionDigits: 0 })} m`;
}

function speedText(metresPerSecond: number): string {
  return `${decimalText(metresPerSecond, 2)} m/s (${decimalText(metresPerSecond * KM_PER_H, 1)} km/h)`;
}
