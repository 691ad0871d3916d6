import type { PitchFrame, PitchPoint } from "./frame.js";

const CELL_M = 5;
const LONGEST_HOLD_MS = 1000;

/** Time in each cell of 5 m. */
export interface HeatMap {
  readonly columns: number;
  readonly rows: number;
  /** ms; cell (column, row) is at `row * columns + column`. */
  readonly durationMs: Float64Array;
}

/**
 * Time of a player in each cell. A position is valid until the next one, at most 1 s; outside the pitch the nearest cell is used.
 *
 * @param timestampMs ascending; one for each position
 */
export function heatMap(
  timestampMs: ArrayLike<number>,
  positions: readonly PitchPoint[],
  { length, width }: Pick<PitchFrame, "length" | "width">,
): HeatMap {
  const columns = Math.ceil(length / CELL_M);
  const rows = Math.ceil(width / CELL_M);
  const durationMs = new Float64Array(columns * rows);
  const cell = (metres: number, count: number) =>
    Math.min(count - 1, Math.max(0, Math.floor(metres / CELL_M)));
  positions.forEach(({ x, y }, i) => {
    const t = timestampMs[i] ?? 0;
    const held = Math.min((timestampMs[i + 1] ?? t) - t, LONGEST_HOLD_MS);
    const at = cell(y, rows) * columns + cell(x, columns);
    durationMs[at] = (durationMs[at] ?? 0) + held;
  });
  return { columns, rows, durationMs };
}
