import {
  type CaseId,
  type ComparisonId,
  HOSTILE_LABELS,
  HOSTILE_VERBS,
  type HostileCaseId,
  type HostileId,
  type HostileVerb,
  hostileCaseId,
  LABELS,
} from "./labels.js";
import type { Measurement, Measurements } from "./measure.js";
import type { TargetResult } from "./targets.js";

const COLUMNS = ["case", "data", "rows/s", "MB/s", "time ÷ native C", "target", "measured", "reached"];

/** These cases are compared with the whole process of the native program, the others with its time in memory. */
const WHOLE_PROCESSES: readonly CaseId[] = ["nodeStart", "asiStart", "nativeProcess", "asiProcess"];

/** Formats a Markdown table with aligned columns: a line for each case, and a line for each additional target. */
export function table(
  measurements: Measurements,
  targets: readonly TargetResult[],
  skipped: ReadonlyMap<CaseId, string>,
): string {
  const lines = [COLUMNS];
  for (const id of Object.keys(LABELS) as ComparisonId[]) {
    const measurement = measurements.get(id);
    if (measurement === undefined) {
      const reason = skipped.get(id);
      if (reason !== undefined) lines.push([LABELS[id], "", "", "", "", "", `skipped: ${reason}`, ""]);
      continue;
    }
    const [first, ...more] = targets.filter(({ on }) => on === id);
    lines.push([LABELS[id], ...speed(measurement), ratio(id, measurement, measurements), ...cells(first)]);
    for (const target of more) lines.push(["", "", "", "", "", ...cells(target)]);
  }
  return align(lines, isNumberColumn);
}

const isNumberColumn = (column: number) => column >= 1 && column <= 4;

const HOSTILE_COLUMNS = [
  "data",
  "MB/s",
  "time ÷ valid frames",
  "longest event-loop block",
  "target",
  "reached",
];

/** Formats the table of hostile inputs and valid frames for one function. `holds` are the longest event-loop blocks, s. */
export function hostileTable(
  verb: HostileVerb,
  measurements: Measurements,
  targets: readonly TargetResult[],
  holds: ReadonlyMap<HostileCaseId, number>,
): string {
  const lines = [[HOSTILE_VERBS[verb], ...HOSTILE_COLUMNS]];
  const good = measurements.get(hostileCaseId(verb, "goodFrames"));
  for (const input of Object.keys(HOSTILE_LABELS) as HostileId[]) {
    const id = hostileCaseId(verb, input);
    const measurement = measurements.get(id);
    if (measurement === undefined || good === undefined) continue;
    const target = targets.find(({ on }) => on === id);
    const [data, , megabytesPerS] = speed(measurement);
    const perByte = measurement.fastestS / measurement.bytes / (good.fastestS / good.bytes);
    const hold = holds.get(id);
    lines.push([
      HOSTILE_LABELS[input],
      data,
      megabytesPerS,
      perByte.toFixed(1),
      hold === undefined ? "" : `${(hold * 1000).toFixed(0)} ms`,
      target === undefined ? "" : `${target.bound} ${target.limit} × ${target.what}`,
      target?.reached == null ? "" : target.reached ? "yes" : "no",
    ]);
  }
  return align(lines, isNumberColumn);
}

function speed({ rows, bytes, fastestS }: Measurement): [string, string, string] {
  if (bytes === 0) return ["", "", `${(fastestS * 1000).toFixed(1)} ms`];
  return [
    `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`,
    rows < 2 ? "" : significant(rows / fastestS),
    significant(bytes / 1e6 / fastestS),
  ];
}

function ratio(id: CaseId, measurement: Measurement, measurements: Measurements): string {
  const native = measurements.get(WHOLE_PROCESSES.includes(id) ? "nativeProcess" : "native");
  if (native === undefined || measurement.rows < 2) return "";
  const perRow = measurement.fastestS / measurement.rows / (native.fastestS / native.rows);
  return perRow.toFixed(perRow < 10 ? 2 : 0);
}

function cells(target: TargetResult | undefined): [string, string, string] {
  if (target === undefined) return ["", "", ""];
  const { bound, limit, unit, what, measured, reached } = target;
  const text = unit === "MB" ? `${what} ${bound} ${limit} MB` : `${bound} ${limit} × ${what}`;
  if (measured === null) return [text, "not measured", ""];
  return [text, measured.toFixed(measured < 10 ? 2 : 0), reached === true ? "yes" : "no"];
}

/** Formats a number with three significant digits and thousands separators. */
function significant(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

/** Formats a Markdown table with aligned columns. */
export function align(lines: readonly (readonly string[])[], isNumber: (column: number) => boolean): string {
  const [columns = []] = lines;
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const rule = widths.map((width, column) =>
    isNumber(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  const text = (line: readonly string[]) =>
    `| ${line.map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join(" | ")} |`;
  const [head = [], ...body] = lines;
  return [text(head), text(rule), ...body.map(text)].join("\n");
}
