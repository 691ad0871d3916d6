import type { Interval, SquadMember } from "../squad/index.js";

/** A plane on the ground with the long side of the play lying flat. Metres from its lower left corner. */
export interface Ground {
  widthM: number;
  heightM: number;
  toPlane(latitudeE7: number, longitudeE7: number): { x: number; y: number };
}

/** Side of a cell of the heat map, m. */
const CELL_M = 2;
/** Positions that decide where the play is: one of so many rows. */
const EVERY_ROW = 20;
/** A player who stands still may be on the bench: such positions are not part of the play. */
const MOVING_MM_PER_S = 1000;
/** Outside of this share of the positions at each end lie runs to the bench. */
const OUTLIERS = 0.01;
const MARGIN_M = 4;
/** Three means of neighbours are nearly a normal distribution. */
const SMOOTHING_PASSES = 3;
const M_PER_E7 = 111_320 / 1e7;

/**
 * The ground on which a squad played, with its longer side horizontal.
 *
 * @param intervalsOf when a member took part
 * @returns null where there are too few positions
 */
export function groundOf(
  members: readonly SquadMember[],
  intervalsOf: (member: SquadMember) => readonly Interval[],
): Ground | null {
  const points: { east: number; north: number }[] = [];
  let origin: { latitudeE7: number; longitudeE7: number; shrink: number } | null = null;
  const played = members.flatMap((member) => {
    const intervals = intervalsOf(member);
    return member.recordings.map(({ samples }) => ({ samples, intervals }));
  });
  for (const { samples, intervals } of played) {
    for (let i = 0; i < samples.length; i += EVERY_ROW) {
      if ((samples.speedMmPerS[i] ?? 0) < MOVING_MM_PER_S) continue;
      const ms = samples.timestampMs[i] ?? 0;
      if (!intervals.some(({ startMs, endMs }) => ms >= startMs && ms < endMs)) continue;
      const latitudeE7 = samples.latitudeE7[i] ?? 0;
      const longitudeE7 = samples.longitudeE7[i] ?? 0;
      origin ??= { latitudeE7, longitudeE7, shrink: Math.cos((latitudeE7 / 1e7) * (Math.PI / 180)) };
      points.push({
        east: (longitudeE7 - origin.longitudeE7) * M_PER_E7 * origin.shrink,
        north: (latitudeE7 - origin.latitudeE7) * M_PER_E7,
      });
    }
  }
  if (origin === null || points.length < 100) return null;
  const centre = {
    east: mean(points.map(({ east }) => east)),
    north: mean(points.map(({ north }) => north)),
  };
  const spread = (a: (p: { east: number; north: number }) => number) => mean(points.map(a));
  const ee = spread(({ east }) => (east - centre.east) ** 2);
  const nn = spread(({ north }) => (north - centre.north) ** 2);
  const en = spread(({ east, north }) => (east - centre.east) * (north - centre.north));
  // the direction of the largest spread: the eigenvector of the covariance
  const angle = Math.atan2(2 * en, ee - nn) / 2;
  const turn = (by: number) => {
    const [cos, sin] = [Math.cos(by), Math.sin(by)];
    const turned = ({ east, north }: { east: number; north: number }) => ({
      x: (east - centre.east) * cos + (north - centre.north) * sin,
      y: (north - centre.north) * cos - (east - centre.east) * sin,
    });
    return { turned, box: boxOf(points.map(turned)) };
  };
  const along = turn(angle);
  const isUpright = along.box.top - along.box.bottom > along.box.right - along.box.left;
  const { turned, box } = isUpright ? turn(angle + Math.PI / 2) : along;
  const { latitudeE7: latitude0, longitudeE7: longitude0, shrink } = origin;
  return {
    widthM: box.right - box.left,
    heightM: box.top - box.bottom,
    toPlane(latitudeE7, longitudeE7) {
      const { x, y } = turned({
        east: (longitudeE7 - longitude0) * M_PER_E7 * shrink,
        north: (latitudeE7 - latitude0) * M_PER_E7,
      });
      return { x: x - box.left, y: y - box.bottom };
    },
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function boxOf(points: readonly { x: number; y: number }[]) {
  const range = (values: number[]) => {
    values.sort((a, b) => a - b);
    const skip = Math.floor(values.length * OUTLIERS);
    return [(values[skip] ?? 0) - MARGIN_M, (values[values.length - 1 - skip] ?? 0) + MARGIN_M] as const;
  };
  const [left, right] = range(points.map(({ x }) => x));
  const [bottom, top] = range(points.map(({ y }) => y));
  return { left, right, bottom, top };
}

/** Shares of the busiest cell from which a colour begins. */
const LEVELS = [
  [0.06, "#c9dcf2"],
  [0.15, "#8db8e4"],
  [0.3, "#7a5cc0"],
  [0.5, "#c93a6b"],
  [0.75, "#f97316"],
] as const;

/** Where a player was in some intervals, as a picture; null without positions on the ground. */
export function heatMap(
  { recordings }: SquadMember,
  intervals: readonly Interval[],
  ground: Ground,
  label: string,
): string | null {
  const columns = Math.ceil(ground.widthM / CELL_M);
  const rows = Math.ceil(ground.heightM / CELL_M);
  const seen = new Float64Array(columns * rows);
  let any = false;
  for (const { samples } of recordings) {
    for (let i = 0; i < samples.length; i++) {
      const ms = samples.timestampMs[i] ?? 0;
      if (!intervals.some(({ startMs, endMs }) => ms >= startMs && ms < endMs)) continue;
      const { x, y } = ground.toPlane(samples.latitudeE7[i] ?? 0, samples.longitudeE7[i] ?? 0);
      const [column, row] = [Math.floor(x / CELL_M), rows - 1 - Math.floor(y / CELL_M)];
      if (column < 0 || column >= columns || row < 0 || row >= rows) continue;
      seen[row * columns + column] = (seen[row * columns + column] ?? 0) + 1;
      any = true;
    }
  }
  if (!any) return null;
  let heat: Float64Array = seen;
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

/** Each cell becomes the mean of itself and its neighbours. */
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
