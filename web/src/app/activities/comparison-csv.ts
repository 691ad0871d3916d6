import { withoutFormula } from "../../recording/formula-guard.js";
import type { Computed } from "./computed.js";
import { COMPARED_FIGURES, isComparable } from "./computed-figures.js";

/** One line of the export: a time frame and what was computed for it; null where that failed. */
export interface ComparedFrame {
  timeframe: number;
  name: string;
  athlete: string;
  device: string;
  /** As the service gives them: ISO 8601 in UTC. */
  startTime: string;
  endTime: string;
  computed: Computed | null;
}

const TEXT_COLUMNS = ["timeframe", "name", "athlete", "device", "start_time", "end_time"];

/**
 * The table of figures as CSV (RFC 4180) in SI units with full precision, whatever the page shows. Time in each class of speed is added
 * where all time frames have the same classes.
 */
export function comparisonCsv(frames: readonly ComparedFrame[]): string {
  const computed = frames.flatMap(({ computed: one }) => one ?? []);
  const classes = isComparable(computed) ? (computed[0]?.time_per_speed_ranges ?? []) : [];
  const head = [
    ...TEXT_COLUMNS,
    ...COMPARED_FIGURES.map(({ column }) => column),
    ...classes.map(({ threshold_low: low, threshold_high: high }) => `time_${low}_to_${high}_m_per_s_s`),
    "computed_at",
  ];
  const lines = frames.map(({ timeframe, name, athlete, device, startTime, endTime, computed: one }) => [
    timeframe,
    withoutFormula(name),
    withoutFormula(athlete),
    withoutFormula(device),
    startTime,
    endTime,
    ...COMPARED_FIGURES.map(({ value }) => (one === null ? null : rounded(value(one)))),
    ...classes.map((_, i) => (one === null ? null : (one.time_per_speed_ranges[i]?.duration ?? null))),
    one === null ? null : new Date(one.last_computation).toISOString(),
  ]);
  return [head, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** Sums of decimal fractions get digits that nobody measured. */
const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(6)));

function cell(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
