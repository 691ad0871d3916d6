import { damageOf, type Interval, type SessionPeriod } from "asi-convert/squad";
import type { TimeWindow } from "../../view/window.js";
import { FASTEST_MEAN_KM_PER_H } from "../rules.js";
import type { SquadPlayer } from "../squad-session.js";
import { type Change, changesOf, onIntervals } from "./on-pitch.js";
import { meanSpeeds } from "./strip-columns.js";

/** Number of colours from standing to the fastest mean. */
export const COLOUR_STEPS = 64;
/** The level of columns that are recorded while the player is not on the pitch. */
export const OFF = -1;
/** The level of columns without data. */
export const NOTHING = -2;

/** Adjacent columns of equal duration with the same colour. */
export interface Run {
  from: number;
  to: number;
  /** A step of the colours, or `OFF`. */
  level: number;
}

/** The content of a player's strip. Times are ms since 1970 UTC. */
export interface Strip {
  runs: readonly Run[];
  sprintsMs: readonly number[];
  damage: readonly Interval[];
  /** Changes from one tracker to another. */
  joints: readonly Interval[];
  changes: readonly Change[];
}

/** @param limitMmPerS faster rows are ignored */
export function stripOf(
  player: SquadPlayer,
  periods: readonly SessionPeriod[],
  sprintsMs: readonly number[],
  shown: TimeWindow,
  columns: number,
  limitMmPerS: number,
): Strip {
  const on = onIntervals(periods, player.name);
  const byTime = player.recordings.toSorted((a, b) => a.startMs - b.startMs);
  const joints = byTime.flatMap((recording, i) => {
    const before = byTime[i - 1];
    return before === undefined || before.endMs >= recording.startMs
      ? []
      : [{ startMs: before.endMs, endMs: recording.startMs }];
  });
  const runs = byTime.flatMap(({ samples }) =>
    runsOf(levelsOf(meanSpeeds(samples, shown, columns, limitMmPerS), on, shown)),
  );
  const isOn = (ms: number) => on === null || on.some(({ startMs, endMs }) => ms >= startMs && ms < endMs);
  return {
    runs,
    sprintsMs: sprintsMs.filter(isOn),
    damage: byTime.flatMap(damageOf),
    joints,
    // without a recording, changes are not visible
    changes: byTime.length === 0 ? [] : changesOf(periods, player.name),
  };
}

/** @param on null means always */
export function levelsOf(
  means: Float32Array,
  on: readonly Interval[] | null,
  { startMs, stopMs }: TimeWindow,
): Int8Array {
  const columnMs = (stopMs - startMs) / Math.max(1, means.length);
  let next = 0;
  return Int8Array.from(means, (mean, column) => {
    if (Number.isNaN(mean)) return NOTHING;
    const atMs = startMs + (column + 0.5) * columnMs;
    while (on !== null && (on[next]?.endMs ?? Number.POSITIVE_INFINITY) <= atMs) next += 1;
    if (on !== null && !((on[next]?.startMs ?? Number.POSITIVE_INFINITY) <= atMs)) return OFF;
    return Math.min(COLOUR_STEPS - 1, Math.floor((mean / FASTEST_MEAN_KM_PER_H) * COLOUR_STEPS));
  });
}

function runsOf(levels: Int8Array): Run[] {
  const runs: Run[] = [];
  for (const [column, level] of levels.entries()) {
    if (level === NOTHING) continue;
    const last = runs.at(-1);
    if (last?.level === level && last.to === column) last.to = column + 1;
    else runs.push({ from: column, to: column + 1, level });
  }
  return runs;
}
