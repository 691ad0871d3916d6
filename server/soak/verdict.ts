/** One figure over the time of a run. */
export interface Series {
  name: string;
  kind: "memory" | "table" | "rows";
  values: readonly number[];
}

/** Tolerance for growth, because measurements vary, and pages of tables fill up and become empty. */
const SLACK: Record<Series["kind"], number> = { memory: 12e6, table: 1e6, rows: 200 };
const TOLERANCE = 1.15;

/**
 * The service keeps a hash of each erased account permanently, because a restored backup may have any age
 * (docs/personal-data.md).
 */
const KEPT_FOR_GOOD: ReadonlySet<string> = new Set(["table erasures", "rows of erasures"]);

/**
 * Finds figures that still grow at the end of a run: the median of the last third is above the second third. In the first third,
 * caches fill, and tables grow until retention starts to remove rows.
 */
export function judge(series: readonly Series[]): { growing: string[]; table: string[] } {
  const growing: string[] = [];
  const table: string[] = [];
  for (const { name, kind, values } of series) {
    const third = Math.floor(values.length / 3);
    const [first, second, last] = [
      median(values.slice(0, third)),
      median(values.slice(third, 2 * third)),
      median(values.slice(2 * third)),
    ];
    const line = `${name}: ${[first, second, last].map((value) => show(kind, value)).join(", ")}`;
    table.push(line);
    if (!KEPT_FOR_GOOD.has(name) && last > second * TOLERANCE + SLACK[kind]) growing.push(line);
  }
  return { growing, table };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const show = (kind: Series["kind"], value: number) =>
  kind === "rows" ? String(value) : `${(value / 1e6).toFixed(2)} MB`;
