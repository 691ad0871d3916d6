import type { Series } from "./session.js";
import type { Point } from "./shapes.js";

/** An interval of the time axis and the number of columns on which it is drawn. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
  columns: number;
}

/**
 * Draws lines through samples with at most four points in a column: the first, the lowest, the highest and the last. On this number of
 * columns, the lines look like lines through all samples, and no peak is lost.
 *
 * @param span samples outside this interval are ignored
 * @returns points with `x` from 0 to `columns`, and the value as `y`
 */
export function thinnedLines(
  { timesMs, valueAt, gapsAfter }: Series,
  { fromMs, toMs, columns }: TimeSpan,
): Point[][] {
  const lines: Point[][] = [];
  const scale = columns / Math.max(1, toMs - fromMs);
  let line: Point[] = [];
  let bucket: Point[] = [];
  let column = -1;
  const endBucket = () => {
    line.push(...extremes(bucket));
    bucket = [];
  };
  for (let i = 0; i < timesMs.length; i++) {
    const y = valueAt(i);
    const ms = timesMs[i] ?? 0;
    if (ms < fromMs || ms > toMs) continue;
    const x = (ms - fromMs) * scale;
    if (gapsAfter.has(i - 1)) {
      endBucket();
      if (line.length > 0) lines.push(line);
      line = [];
    } else if (Math.floor(x) !== column) {
      endBucket();
    }
    column = Math.floor(x);
    bucket.push({ x, y });
  }
  endBucket();
  if (line.length > 0) lines.push(line);
  return lines;
}

function extremes(points: readonly Point[]): Point[] {
  if (points.length <= 4) return [...points];
  let lowest = 0;
  let highest = 0;
  points.forEach(({ y }, i) => {
    if (y < (points[lowest]?.y ?? y)) lowest = i;
    if (y > (points[highest]?.y ?? y)) highest = i;
  });
  const kept = new Set([0, Math.min(lowest, highest), Math.max(lowest, highest), points.length - 1]);
  return [...kept].flatMap((i) => points[i] ?? []);
}
