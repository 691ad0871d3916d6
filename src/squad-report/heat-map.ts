import { timeInCells } from "../metrics/pitch/time-in-cells.js";
import type { Ground, Interval, SquadMember } from "../squad/index.js";

/** Side of a cell of the heat map, m. */
const CELL_M = 2;
/** Number of times that each cell is replaced by the mean of its neighbourhood; three passes approximate a normal distribution. */
const SMOOTHING_PASSES = 3;

/** The minimum value of each colour, as a share of the busiest cell. */
const LEVELS = [
  [0.06, "#c9dcf2"],
  [0.15, "#8db8e4"],
  [0.3, "#7a5cc0"],
  [0.5, "#c93a6b"],
  [0.75, "#f97316"],
] as const;

/** Draws the time that a player spends in each place during some intervals. Returns null if there are no positions on the ground. */
export function heatMapSvg(
  { recordings }: SquadMember,
  intervals: readonly Interval[],
  ground: Ground,
  label: string,
): string | null {
  const columns = Math.ceil(ground.widthM / CELL_M);
  const rows = Math.ceil(ground.heightM / CELL_M);
  let heat: Float64Array = new Float64Array(columns * rows);
  for (const { samples } of recordings) {
    const timestampMs = samples.timestampMs.subarray(0, samples.length);
    const cellAt = (i: number) => {
      const { x, y } = ground.toPlane(samples.latitudeE7[i] ?? 0, samples.longitudeE7[i] ?? 0);
      const [column, row] = [Math.floor(x / CELL_M), rows - 1 - Math.floor(y / CELL_M)];
      return column < 0 || column >= columns || row < 0 || row >= rows ? null : row * columns + column;
    };
    const durationMs = timeInCells(timestampMs, heat.length, cellAt, intervals);
    heat = heat.map((ms, cell) => ms + (durationMs[cell] ?? 0));
  }
  if (heat.every((ms) => ms === 0)) return null;
  for (let pass = 0; pass < SMOOTHING_PASSES; pass++) heat = smoothed(heat, columns, rows);
  const most = heat.reduce((highest, value) => Math.max(highest, value), 0);
  const paths = LEVELS.map(([share, colour]) => {
    let path = "";
    for (let row = 0; row < rows; row++) {
      let start = -1;
      for (let column = 0; column <= columns; column++) {
        const isIn = column < columns && (heat[row * columns + column] ?? 0) >= share * most;
        if (isIn && start < 0) start = column;
        if (!isIn && start >= 0) {
          path += `M${start} ${row}h${column - start}v1H${start}z`;
          start = -1;
        }
      }
    }
    return path === "" ? "" : `<path fill="${colour}" d="${path}"/>`;
  });
  return `<svg class="heat" role="img" aria-label="${label}" viewBox="0 0 ${columns} ${rows}" shape-rendering="crispEdges">${paths.join("")}</svg>`;
}

/** Replaces each cell by the mean of the cell and its neighbours. */
function smoothed(cells: Float64Array, columns: number, rows: number): Float64Array {
  return cells.map((_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    let sum = 0;
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++)
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++)
        sum += cells[y * columns + x] ?? 0;
    return sum / 9;
  });
}
