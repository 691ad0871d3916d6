import type { SampleBatch } from "asi-convert";
import { gapsAfter } from "asi-convert/metrics";
import type { Interval } from "asi-convert/squad";
import type { Track } from "../../map/projection.js";
import { indexAt } from "../../view/instants.js";
import { TRAIL_MS } from "../rules.js";
import type { SquadPlayer } from "../squad-session.js";
import type { Plane, Point } from "./plane.js";

/** A player at an instant. */
export interface Spot extends Point {
  player: SquadPlayer;
  speedMmPerS: number;
  /** Earlier positions up to the current one, oldest first. */
  trail: readonly TrailPoint[];
}

export interface TrailPoint extends Point {
  ageMs: number;
}

/** A higher speed is a jump between two parts of a recording, or an error of the receiver. */
const FASTEST_M_PER_S = 15;
const JUMP_M = 3;
/** Minimum time between points of a trail. */
const TRAIL_STEP_MS = 200;

const gaps = new WeakMap<SampleBatch, ReadonlySet<number>>();

function gapsIn(samples: SampleBatch): ReadonlySet<number> {
  const known = gaps.get(samples) ?? new Set(gapsAfter(samples.timestampMs.subarray(0, samples.length)));
  gaps.set(samples, known);
  return known;
}

/** A position between two rows of a recording. */
interface Between {
  samples: SampleBatch;
  /** Row at or before the instant, and the next row. */
  row: number;
  next: number;
  share: number;
}

/** @returns null if the player has no data */
function betweenAt({ recordings }: SquadPlayer, ms: number): Between | null {
  for (const { samples } of recordings) {
    const { timestampMs, length } = samples;
    const after = indexAt(timestampMs, ms);
    if (after < length && timestampMs[after] === ms) return { samples, row: after, next: after, share: 0 };
    if (after === 0 || after >= length) continue;
    const [startMs, stopMs] = [timestampMs[after - 1] ?? 0, timestampMs[after] ?? 0];
    if (gapsIn(samples).has(after - 1)) continue;
    return { samples, row: after - 1, next: after, share: (ms - startMs) / (stopMs - startMs) };
  }
  return null;
}

/** Returns the speed of a player at an instant, mm/s, or null if there are no data. */
export function speedAt(player: SquadPlayer, ms: number): number | null {
  const at = betweenAt(player, ms);
  if (at === null) return null;
  const { samples, row, next, share } = at;
  const [before, after] = [samples.speedMmPerS[row] ?? 0, samples.speedMmPerS[next] ?? 0];
  return before + (after - before) * share;
}

/** Returns the position of a player, with the trail of the last seconds, or null if there are no data. */
export function spotAt(player: SquadPlayer, ms: number, plane: Plane): Spot | null {
  const at = betweenAt(player, ms);
  if (at === null) return null;
  const { samples, row, next, share } = at;
  const pointOf = (i: number) => plane.at(samples.latitudeE7[i] ?? 0, samples.longitudeE7[i] ?? 0);
  const [before, after] = [pointOf(row), pointOf(next)];
  const here = { x: before.x + (after.x - before.x) * share, y: before.y + (after.y - before.y) * share };
  const gapsOfTrail = gapsIn(samples);
  const trail: TrailPoint[] = [{ ...here, ageMs: 0 }];
  let lastMs = ms;
  for (let i = row; i >= 0; i--) {
    const rowMs = samples.timestampMs[i] ?? 0;
    if (ms - rowMs > TRAIL_MS || (i < row && gapsOfTrail.has(i))) break;
    if (lastMs - rowMs < TRAIL_STEP_MS) continue;
    const point = pointOf(i);
    const newer = trail.at(-1) ?? point;
    const reachM = JUMP_M + (FASTEST_M_PER_S * (lastMs - rowMs)) / 1000;
    if (Math.hypot(point.x - newer.x, point.y - newer.y) > reachM) break;
    lastMs = rowMs;
    trail.push({ ...point, ageMs: ms - rowMs });
  }
  const [slow, fast] = [samples.speedMmPerS[row] ?? 0, samples.speedMmPerS[next] ?? 0];
  return { player, ...here, speedMmPerS: slow + (fast - slow) * share, trail: trail.reverse() };
}

/** Rotates a point by 180 degrees. The other side then attacks to the right. */
export const turned = <P extends Point>(point: P): P => ({ ...point, x: -point.x, y: -point.y });

/**
 * Returns the positions of a player as a track for drawing.
 *
 * @param intervals null means always
 * @param isTurned whether the map is rotated at an instant
 */
export function trackIn(
  { recordings }: SquadPlayer,
  intervals: readonly Interval[] | null,
  plane: Plane,
  isTurned: (ms: number) => boolean,
): Track {
  const times: number[] = [];
  const east: number[] = [];
  const north: number[] = [];
  const speed: number[] = [];
  const gapsOfTrack = new Set<number>();
  for (const { samples } of recordings.toSorted((a, b) => a.startMs - b.startMs)) {
    const gapsOfSamples = gapsIn(samples);
    let previous = Number.NaN;
    for (const { startMs, endMs } of intervals ?? [{ startMs: -Infinity, endMs: Infinity }]) {
      const to = indexAt(samples.timestampMs, endMs);
      for (let i = indexAt(samples.timestampMs, startMs); i < to; i++) {
        const ms = samples.timestampMs[i] ?? 0;
        // no line connects two intervals or two recordings
        if (times.length > 0 && (previous !== i - 1 || gapsOfSamples.has(previous)))
          gapsOfTrack.add(times.length - 1);
        previous = i;
        const { x, y } = plane.at(samples.latitudeE7[i] ?? 0, samples.longitudeE7[i] ?? 0);
        const sign = isTurned(ms) ? -1 : 1;
        times.push(ms);
        east.push(sign * x);
        north.push(sign * y);
        speed.push(samples.speedMmPerS[i] ?? 0);
      }
    }
  }
  return {
    timesMs: Float64Array.from(times),
    east: Float32Array.from(east),
    north: Float32Array.from(north),
    speed: Int32Array.from(speed),
    origin: plane.origin,
    gapsAfter: gapsOfTrack,
  };
}
