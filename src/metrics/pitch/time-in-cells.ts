import type { Period } from "../options.js";
import { gapsAfter } from "../segments.js";

const ALWAYS: readonly Period[] = [{ startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }];

/**
 * Computes the time that a player spends in each cell, ms. A position is valid until the next one, except across a gap
 * (docs/metrics.md), so the result does not depend on the sample rate.
 *
 * @param timestampMs times in ascending order; a step back in time adds nothing
 * @param cellAt the cell of a row; null outside all cells
 * @param periods disjoint periods; only time within them counts
 */
export function timeInCells(
  timestampMs: Float64Array,
  cells: number,
  cellAt: (row: number) => number | null,
  periods = ALWAYS,
): Float64Array {
  const durationMs = new Float64Array(cells);
  const gaps = new Set(gapsAfter(timestampMs));
  for (let row = 0; row + 1 < timestampMs.length; row++) {
    if (gaps.has(row)) continue;
    const [fromMs, toMs] = [timestampMs[row] ?? 0, timestampMs[row + 1] ?? 0];
    let heldMs = 0;
    for (const { startMs, endMs } of periods)
      heldMs += Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs));
    const cell = heldMs === 0 ? null : cellAt(row);
    if (cell !== null) durationMs[cell] = (durationMs[cell] ?? 0) + heldMs;
  }
  return durationMs;
}
