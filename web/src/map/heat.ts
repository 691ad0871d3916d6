import type { Drawing } from "./drawing.js";
import { ramp, STEPS } from "./palette.js";
import type { Track } from "./projection.js";
import type { Canvas } from "./strokes.js";

const CELL = 2; // CSS pixels
const BLUR_RADIUS = 4; // cells
// This share of the visited cells is below the last colour. A single long stop then does not make the other cells pale.
const BELOW_LAST_COLOUR = 0.98;

/** Draws a heat map of the time spent at each place. */
export function drawHeat(canvas: Canvas, drawing: Drawing, track: Track, from: number, to: number): void {
  const cell = Math.max(1, Math.round(CELL * drawing.pixelRatio));
  const columns = Math.ceil(drawing.width / cell);
  const rows = Math.ceil(drawing.height / cell);
  const spent = timeSpent(drawing, track, from, to, { cell, columns, rows });
  // three box averages approximate a Gaussian filter
  for (let pass = 0; pass < 3; pass++) {
    blur(spent, columns, rows, 1, columns);
    blur(spent, rows, columns, columns, 1);
  }
  const most = nearlyMost(spent);
  if (most === 0) return;
  paint(canvas, spent, most, columns, cell, ramp("heat", drawing.theme));
}

function timeSpent(
  { width, height, pixelRatio, camera }: Drawing,
  { timesMs, east, north, gapsAfter }: Track,
  from: number,
  to: number,
  { cell, columns, rows }: { cell: number; columns: number; rows: number },
): Float32Array {
  const spent = new Float32Array(columns * rows);
  const scale = camera.scale * pixelRatio;
  for (let row = from; row < to; row++) {
    if (gapsAfter.has(row) || row + 1 >= timesMs.length) continue;
    const elapsed = (timesMs[row + 1] as number) - (timesMs[row] as number);
    const x = Math.floor((width / 2 + ((east[row] as number) - camera.east) * scale) / cell);
    const y = Math.floor((height / 2 - ((north[row] as number) - camera.north) * scale) / cell);
    if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
    spent[y * columns + x] = (spent[y * columns + x] as number) + elapsed;
  }
  return spent;
}

// Averages 2 * BLUR_RADIUS + 1 cells along each of `lines` lines. `step` leads from cell to cell, `lineStep` from line to line.
function blur(cells: Float32Array, length: number, lines: number, step: number, lineStep: number): void {
  const line = new Float32Array(length);
  const width = 2 * BLUR_RADIUS + 1;
  for (let k = 0; k < lines; k++) {
    const start = k * lineStep;
    for (let i = 0; i < length; i++) line[i] = cells[start + i * step] as number;
    let sum = 0;
    for (let i = 0; i < Math.min(BLUR_RADIUS, length); i++) sum += line[i] as number;
    for (let i = 0; i < length; i++) {
      sum += (line[i + BLUR_RADIUS] ?? 0) - (line[i - BLUR_RADIUS - 1] ?? 0);
      cells[start + i * step] = sum / width;
    }
  }
}

function nearlyMost(cells: Float32Array): number {
  const visited = cells.filter((value) => value > 1e-3).sort();
  return visited[Math.floor((visited.length - 1) * BELOW_LAST_COLOUR)] ?? 0;
}

function paint(
  { data, width, height }: Canvas,
  spent: Float32Array,
  most: number,
  columns: number,
  cell: number,
  colours: Uint8Array,
): void {
  for (let y = 0; y < height; y++) {
    const line = Math.floor(y / cell) * columns;
    for (let x = 0; x < width; x++) {
      const share = Math.sqrt(Math.min(1, (spent[line + Math.floor(x / cell)] as number) / most));
      if (share < 0.08) continue;
      const step = Math.min(STEPS - 1, Math.floor(share * STEPS)) * 3;
      const at = (y * width + x) * 4;
      data[at] = colours[step] as number;
      data[at + 1] = colours[step + 1] as number;
      data[at + 2] = colours[step + 2] as number;
      data[at + 3] = Math.min(255, 40 + share * 400);
    }
  }
}
