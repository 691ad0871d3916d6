import type { PitchFrame, PitchPoint } from "./frame.js";
import { timeInCells } from "./time-in-cells.js";

const CELL_M = 5;

/** The time in each cell of 5 m. */
export interface HeatMap {
  readonly columns: number;
  readonly rows: number;
  /** ms; cell (column, row) is at `row * columns + column`. */
  readonly durationMs: Float64Array;
}

/**
 * Computes the time that a player spends in each cell. A position is valid until the next one, except across a gap. Positions
 * outside the pitch count in the nearest cell.
 *
 * @param timestampMs times in ascending order, one for each position
 */
export function heatMap(
  timestampMs: ArrayLike<number>,
  positions: readonly PitchPoint[],
  { length, width }: Pick<PitchFrame, "length" | "width">,
): HeatMap {
  const columns = Math.ceil(length / CELL_M);
  const rows = Math.ceil(width / CELL_M);
  const cell = (metres: number, count: number) =>
    Math.min(count - 1, Math.max(0, Math.floor(metres / CELL_M)));
  const durationMs = timeInCells(Float64Array.from(timestampMs), columns * rows, (i) => {
    const { x, y } = positions[i] ?? { x: 0, y: 0 };
    return cell(y, rows) * columns + cell(x, columns);
  });
  return { columns, rows, durationMs };
}
