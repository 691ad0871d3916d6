import { type CaseId, LABELS } from "./labels.js";
import type { Measurement, Measurements } from "./measure.js";
import type { TargetResult } from "./targets.js";

const COLUMNS = ["case", "data", "rows/s", "MB/s", "time ÷ native C", "target", "measured", "reached"];

/** These are compared with the native program's whole process, the others with its time in memory. */
const WHOLE_PROCESSES: readonly CaseId[] = ["nodeStart", "asiStart", "nativeProcess", "asiProcess"];

/** A Markdown table, its columns aligned: a line per case, and one more for each further target of it. */
export function table(
  measurements: Measurements,
  targets: readonly TargetResult[],
  skipped: ReadonlyMap<CaseId, string>,
): string {
  const lines = [COLUMNS];
  for (const id of Object.keys(LABELS) as CaseId[]) {
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
  return align(lines);
}

function speed({ rows, bytes, medianS }: Measurement): [string, string, string] {
  if (bytes === 0) return ["", "", `${(medianS * 1000).toFixed(1)} ms`];
  return [
    `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`,
    rows < 2 ? "" : significant(rows / medianS),
    significant(bytes / 1e6 / medianS),
  ];
}

function ratio(id: CaseId, measurement: Measurement, measurements: Measurements): string {
  const native = measurements.get(WHOLE_PROCESSES.includes(id) ? "nativeProcess" : "native");
  if (native === undefined || measurement.rows < 2) return "";
  const perRow = measurement.medianS / measurement.rows / (native.medianS / native.rows);
  return perRow.toFixed(perRow < 10 ? 2 : 0);
}

function cells(target: TargetResult | undefined): [string, string, string] {
  if (target === undefined) return ["", "", ""];
  const { bound, limit, unit, what, measured, reached } = target;
  const text =
    unit === "MB"
      ? `${what} ${bound} ${limit} MB`
      : `${bound} ${limit} × ${what}`.replace(" × our", " ×: our");
  if (measured === null) return [text, "not measured", ""];
  return [text, measured.toFixed(measured < 10 ? 2 : 0), reached === true ? "yes" : "no"];
}

/** Three significant digits, thousands set apart. */
function significant(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

function align(lines: readonly (readonly string[])[]): string {
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const rule = widths.map((width, column) =>
    column >= 1 && column <= 4 ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  const text = (line: readonly string[]) =>
    `| ${line.map((cell, column) => (column >= 1 && column <= 4 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join(" | ")} |`;
  const [head = [], ...body] = lines;
  return [text(head), text(rule), ...body.map(text)].join("\n");
}
