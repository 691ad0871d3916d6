import type { Interval } from "./interval.js";
import type { SquadMember } from "./squad-members.js";

/** A plane on the ground with the longer side of the playing area horizontal. Metres from its lower left corner. */
export interface Ground {
  widthM: number;
  heightM: number;
  /** Returns whether a position is in the playing area, and not on the way to the bench or beside the pitch during the warm-up. */
  isInPlay(latitudeE7: number, longitudeE7: number): boolean;
  toPlane(latitudeE7: number, longitudeE7: number): { x: number; y: number };
}

/** Only one row out of this number is used to find the playing area. */
const EVERY_ROW = 20;
/** Slower positions are ignored, because a player who stands still may be on the bench. */
const MOVING_MM_PER_S = 1000;
/** This share of the positions at each end is ignored, because it contains runs to the bench. */
const OUTLIERS = 0.01;
const MARGIN_M = 4;
/** Half of the margin is outside the playing area, because a bench may be within the margin. */
const BESIDE_M = MARGIN_M / 2;
const M_PER_E7 = 111_320 / 1e7;

/**
 * Finds the playing area of a squad and turns its longer side horizontally.
 *
 * @param intervalsOf returns the times of a member
 * @returns null if there are too few positions
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
  // the direction of maximum variance: the eigenvector of the covariance
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
  const [widthM, heightM] = [box.right - box.left, box.top - box.bottom];
  const toPlane = (latitudeE7: number, longitudeE7: number) => {
    const { x, y } = turned({
      east: (longitudeE7 - longitude0) * M_PER_E7 * shrink,
      north: (latitudeE7 - latitude0) * M_PER_E7,
    });
    return { x: x - box.left, y: y - box.bottom };
  };
  const isBetween = (metres: number, lengthM: number) => metres >= BESIDE_M && metres <= lengthM - BESIDE_M;
  return {
    widthM,
    heightM,
    toPlane,
    isInPlay(latitudeE7, longitudeE7) {
      const { x, y } = toPlane(latitudeE7, longitudeE7);
      return isBetween(x, widthM) && isBetween(y, heightM);
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
