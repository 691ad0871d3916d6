import type { OpenRecording } from "../../recording/squad/squad-recording.js";
import { WRONG_CLOCK } from "../rules.js";

/** Data of a recording for the comparison, in chronological order. */
export type ClockRecording = Pick<OpenRecording, "id" | "startMs" | "endMs"> & {
  samples: Pick<OpenRecording["samples"], "length" | "timestampMs" | "speedMmPerS">;
};

/** A clock that differs from the others, with its correction. */
export interface WrongClock {
  id: number;
  /** Correction of its times, ms. */
  byMs: number;
}

const STEP_MS = 10_000;
/** Number of steps before and after a step whose speeds are averaged with it. */
const HALF_WINDOW = 4;
const QUARTER_MS = 15 * 60_000;
/** Two trackers of a player may overlap for a moment during a change of trackers. */
const MOST_OVERLAP_MS = 60_000;

function overlapMs(shifted: ClockRecording, byMs: number, other: ClockRecording): number {
  return Math.min(shifted.endMs + byMs, other.endMs) - Math.max(shifted.startMs + byMs, other.startMs);
}

/**
 * Finds recordings that extend beyond the time of the others, but have play and pauses at a constant offset. The offset is a multiple of a
 * quarter of an hour, as between time zones, or any other time. No shift may overlap a second recording of the same player.
 *
 * @param ofOnePlayer for each player with several recordings, their ids
 */
export function wrongClocks(
  recordings: readonly ClockRecording[],
  ofOnePlayer: readonly (readonly number[])[] = [],
): WrongClock[] {
  if (recordings.length <= WRONG_CLOCK.leastOthers) return [];
  const activities = recordings.map((recording) => ({ recording, own: activityOf(recording) }));
  return activities.flatMap(({ recording, own }) => {
    const others = activities.filter((one) => one.recording !== recording).map((one) => one.own);
    const ids = ofOnePlayer.find((group) => group.includes(recording.id)) ?? [];
    const same = recordings.filter((one) => one !== recording && ids.includes(one.id));
    const isFree = (byMs: number) => same.every((one) => overlapMs(recording, byMs, one) <= MOST_OVERLAP_MS);
    const byMs = shiftOf(own, meanOf(others), isFree);
    return byMs === null ? [] : [{ id: recording.id, byMs }];
  });
}

/**
 * Mean speeds of 90 s around each step of 10 s, which are NaN if there are no data. Individual sprints and walks of a player do not reveal
 * a wrong clock.
 */
interface Activity {
  firstStep: number;
  speeds: Float64Array;
}

function activityOf({ startMs, endMs, samples }: ClockRecording): Activity {
  const firstStep = Math.floor(startMs / STEP_MS);
  const steps = Math.floor(endMs / STEP_MS) - firstStep + 1;
  const sums = new Float64Array(steps);
  const counts = new Float64Array(steps);
  for (let i = 0; i < samples.length; i++) {
    const step = Math.floor((samples.timestampMs[i] ?? 0) / STEP_MS) - firstStep;
    const speed = samples.speedMmPerS[i] ?? -1;
    if (step < 0 || step >= steps || speed < 0) continue;
    sums[step] = (sums[step] ?? 0) + speed;
    counts[step] = (counts[step] ?? 0) + 1;
  }
  return { firstStep, speeds: smoothed(sums, counts) };
}

function smoothed(sums: Float64Array, counts: Float64Array): Float64Array {
  return sums.map((_, step) => {
    let sum = 0;
    let count = 0;
    for (let i = Math.max(0, step - HALF_WINDOW); i <= step + HALF_WINDOW; i++) {
      sum += sums[i] ?? 0;
      count += counts[i] ?? 0;
    }
    return counts[step] === 0 ? Number.NaN : sum / count;
  });
}

/** Returns the mean of the recordings at times when enough of them have data. */
function meanOf(activities: readonly Activity[]): Activity {
  const firstStep = Math.min(...activities.map((one) => one.firstStep));
  const steps = Math.max(...activities.map((one) => one.firstStep + one.speeds.length)) - firstStep;
  const sums = new Float64Array(steps);
  const counts = new Float64Array(steps);
  for (const one of activities) {
    for (const [i, speed] of one.speeds.entries()) {
      if (Number.isNaN(speed)) continue;
      const step = one.firstStep - firstStep + i;
      sums[step] = (sums[step] ?? 0) + speed;
      counts[step] = (counts[step] ?? 0) + 1;
    }
  }
  const needed = activities.length * WRONG_CLOCK.otherShare;
  return {
    firstStep,
    speeds: sums.map((sum, i) => ((counts[i] ?? 0) >= needed ? sum / (counts[i] ?? 1) : Number.NaN)),
  };
}

/**
 * Evaluates a shift. The result is the share of the recording within the time of the others, and the correlation with them. The others
 * count as standing before and after that time. A half that nobody else records then has the same weight as one that others record.
 */
function fitOf(own: Activity, others: Activity, bySteps: number): { share: number; correlation: number } {
  const offset = own.firstStep + bySteps - others.firstStep;
  let inside = 0;
  let n = 0;
  let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0];
  for (const [i, a] of own.speeds.entries()) {
    if (Number.isNaN(a)) continue;
    n += 1;
    const mean = others.speeds[offset + i] ?? Number.NaN;
    const b = Number.isNaN(mean) ? 0 : mean;
    inside += Number(!Number.isNaN(mean));
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const spread = Math.sqrt((n * xx - x * x) * (n * yy - y * y));
  return { share: n === 0 ? 0 : inside / n, correlation: spread > 0 ? (n * xy - x * y) / spread : 0 };
}

function shiftOf(own: Activity, others: Activity, isFree: (byMs: number) => boolean): number | null {
  const now = fitOf(own, others, 0);
  if (now.share >= WRONG_CLOCK.insideShare) return null;
  const best = (shiftsMs: readonly number[]) =>
    shiftsMs
      .filter(isFree)
      .map((byMs) => ({ byMs, ...fitOf(own, others, byMs / STEP_MS) }))
      .filter(
        ({ share, correlation }) =>
          share >= now.share + WRONG_CLOCK.gainedShare &&
          correlation >= WRONG_CLOCK.leastCorrelation &&
          correlation >= now.correlation + WRONG_CLOCK.gainedCorrelation,
      )
      .reduce<{ byMs: number; score: number } | null>((found, { byMs, share, correlation }) => {
        const score = share * correlation;
        return found === null || score > found.score ? { byMs, score } : found;
      }, null);
  const quarter = best(stepsWithin(WRONG_CLOCK.mostMs, QUARTER_MS));
  const any = best(stepsWithin(WRONG_CLOCK.mostAnyMs, STEP_MS));
  if (quarter === null) return any?.byMs ?? null;
  // a drift of several seconds does not exclude a shift by whole quarters of an hour
  return any !== null && any.score > quarter.score + WRONG_CLOCK.betterScore ? any.byMs : quarter.byMs;
}

/** Returns all multiples of a step up to a time, in both directions, except 0. */
function stepsWithin(mostMs: number, stepMs: number): number[] {
  const count = Math.floor(mostMs / stepMs);
  return Array.from({ length: 2 * count + 1 }, (_, i) => (i - count) * stepMs).filter((ms) => ms !== 0);
}
