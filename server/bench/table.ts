import type { Figures, Target } from "./target.js";
import { isReached, TARGETS } from "./targets.js";

/** Formats a Markdown table with aligned columns: one line per target, with the measured values of each database. */
export function table(databases: ReadonlyMap<string, Figures>): string {
  const head = ["", "target", ...[...databases.keys()].flatMap((name) => [name, "reached"])];
  const body = TARGETS.map((target) => [
    target.what,
    target.limit === null ? "" : `${target.bound} ${number(target.limit)} ${target.unit}`,
    ...[...databases.values()].flatMap((figures) => cells(target, figures)),
  ]);
  return align([head, ...body]);
}

function cells(target: Target, figures: Figures): [string, string] {
  const measured = target.measure(figures);
  const reached = isReached(target, measured);
  if (measured === undefined || Number.isNaN(measured)) return ["not measured", ""];
  const from = target.from?.(figures);
  return [
    `${number(measured)} ${target.unit}${from === undefined ? "" : ` (${from})`}`,
    reached === null ? "" : reached ? "yes" : "no",
  ];
}

/** Formats three significant digits, with thousands separators. */
function number(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

/** Formats a Markdown table with a header and lines. */
export function align(lines: readonly (readonly string[])[]): string {
  const [head = [], ...body] = lines;
  const widths = head.map((_, column) => Math.max(3, ...lines.map((line) => (line[column] ?? "").length)));
  const text = (line: readonly string[]) =>
    `| ${widths.map((width, column) => (line[column] ?? "").padEnd(width)).join(" | ")} |`;
  return [text(head), text(widths.map((width) => "-".repeat(width))), ...body.map(text)].join("\n");
}
