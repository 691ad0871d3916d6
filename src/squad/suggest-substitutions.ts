import { KM_PER_H } from "../metrics/rounding.js";
import { type Ground, groundOf } from "./ground.js";
import type { Interval } from "./interval.js";
import type { SessionPeriod } from "./periods.js";
import { mainInterval } from "./recorded-time.js";
import { nameKey } from "./roster.js";
import type { SquadMember } from "./squad-members.js";

/** The rule for suggesting substitutions *(choice)*. */
export const SUBSTITUTION_RULE = {
  /** Speeds and positions are averaged over this time. */
  stepMs: 10_000,
  /** A player is out if the mean speed is below this share of the speed of the player's fast minute. */
  outShare: 0.4,
  /** The fast minute is this quantile of the player's one-minute mean speeds in the period. */
  fastMinutes: 0.95,
  /** A player is also out if the mean speed is below this speed: 2 km/h, in mm/s. */
  outMmPerS: 2000 / KM_PER_H,
  /**
   * A player who starts this soon after the first start, or stops this soon before the last end, is assumed to play from the start or to
   * the end.
   */
  sameEndMs: 2 * 60_000,
  /** Shorter times on the pitch are ignored. */
  shortestMs: 2 * 60_000,
  /** Shorter periods, such as drills, have too few data. */
  shortestPeriodMs: 15 * 60_000,
} as const;

const STEPS_OF_MINUTE = 60_000 / SUBSTITUTION_RULE.stepMs;

export interface SuggestedSubstitutions {
  /** The periods, with separate times for these players. */
  periods: readonly SessionPeriod[];
  /** Names of players who are substituted or do not play; empty if everyone plays all the time. */
  players: readonly string[];
}

/**
 * Suggests the time on the pitch for each player: substitutions, and players who do not play. A period is unchanged if it is not for all
 * players, is short, or already has separate times for players.
 *
 * A player is on the pitch from one moment to another. Between them, the player is fast and among the others; before and after them, the
 * player is slow or away from the others. Time without data is ignored.
 */
export function suggestSubstitutions(
  periods: readonly SessionPeriod[],
  members: readonly SquadMember[],
): SuggestedSubstitutions {
  const open = periods.flatMap(({ all, own }) => {
    const isOpen = all !== null && own.size === 0;
    return isOpen && all.endMs - all.startMs >= SUBSTITUTION_RULE.shortestPeriodMs ? [all] : [];
  });
  if (open.length === 0) return { periods, players: [] };
  // a period with a wrong date would need steps over years
  const recordedTime = mainInterval(members.flatMap(({ recordings }) => recordings));
  const extent = {
    startMs: Math.max(recordedTime.startMs, Math.min(...open.map(({ startMs }) => startMs))),
    endMs: Math.min(recordedTime.endMs, Math.max(...open.map(({ endMs }) => endMs))),
  };
  const recorded = members.map((member) => ({ member, means: new StepMeans(member, extent) }));
  const withOwn = periods.map((period) => {
    const { all } = period;
    return all === null || !open.includes(all) ? period : { ...period, own: ownIntervals(all, recorded) };
  });
  const keys = new Set(withOwn.flatMap(({ own }, i) => (own === periods[i]?.own ? [] : [...own.keys()])));
  return {
    periods: withOwn,
    players: members.map(({ name }) => name).filter((name) => keys.has(nameKey(name))),
  };
}

interface RecordedMember {
  member: SquadMember;
  means: StepMeans;
}

function ownIntervals(all: Interval, recorded: readonly RecordedMember[]): Map<string, Interval[]> {
  const present = recorded
    .map(({ member, means }) => ({ member, steps: means.stepsOf(all) }))
    .filter(({ steps }) => steps.some((step) => step !== null));
  // the playing area is determined by the players who, judging by their speeds, play most of the time
  const isMostlyIn = ({ steps }: { steps: readonly (Step | null)[] }) => {
    const stretch = inStretch(steps, null);
    return stretch !== null && stretch.end - stretch.start > steps.length / 2;
  };
  const ground = groundOf(
    present.filter(isMostlyIn).map(({ member }) => member),
    () => [all],
  );
  const { stepMs, sameEndMs, shortestMs } = SUBSTITUTION_RULE;
  const found = present.map(({ member, steps }) => {
    const stretch = inStretch(steps, ground);
    const isIn = stretch !== null && (stretch.end - stretch.start) * stepMs >= shortestMs;
    return { key: nameKey(member.name), stretch: isIn ? stretch : null };
  });
  const stretches = found.flatMap(({ stretch }) => stretch ?? []);
  const first = Math.min(...stretches.map(({ start }) => start));
  const last = Math.max(...stretches.map(({ end }) => end));
  const own = new Map<string, Interval[]>();
  // a period without moving players has no substitutions
  if (stretches.length === 0) return own;
  const timeOf = (step: number) => Math.floor(all.startMs / stepMs + step) * stepMs;
  for (const { key, stretch } of found) {
    if (stretch === null) {
      own.set(key, []);
      continue;
    }
    const isFromStart = (stretch.start - first) * stepMs <= sameEndMs;
    const isToEnd = (last - stretch.end) * stepMs <= sameEndMs;
    if (isFromStart && isToEnd) continue;
    const startMs = isFromStart ? all.startMs : timeOf(stretch.start);
    const endMs = isToEnd ? all.endMs : Math.min(all.endMs, timeOf(stretch.end));
    own.set(key, [{ startMs, endMs }]);
  }
  return own;
}

/** Means of a player over a step. Positions are in 1e-7 degrees. */
interface Step {
  speedMmPerS: number;
  latitudeE7: number;
  longitudeE7: number;
}

/** Means of a player over all steps. Step boundaries are multiples of the step length. */
class StepMeans {
  /** Number of the first step since 1970. */
  readonly #first: number;
  readonly #counts: Uint32Array;
  readonly #speeds: Float64Array;
  readonly #latitudes: Float64Array;
  readonly #longitudes: Float64Array;

  constructor({ recordings }: SquadMember, { startMs, endMs }: Interval) {
    const { stepMs } = SUBSTITUTION_RULE;
    const first = Math.floor(startMs / stepMs);
    const length = Math.max(0, Math.ceil(endMs / stepMs) - first);
    const counts = new Uint32Array(length);
    const speeds = new Float64Array(length);
    const latitudes = new Float64Array(length);
    const longitudes = new Float64Array(length);
    for (const { samples } of recordings) {
      for (let i = 0; i < samples.length; i++) {
        const step = Math.floor((samples.timestampMs[i] ?? 0) / stepMs) - first;
        const speed = samples.speedMmPerS[i] ?? -1;
        if (step < 0 || step >= length || speed < 0) continue;
        counts[step] = (counts[step] ?? 0) + 1;
        speeds[step] = (speeds[step] ?? 0) + speed;
        latitudes[step] = (latitudes[step] ?? 0) + (samples.latitudeE7[i] ?? 0);
        longitudes[step] = (longitudes[step] ?? 0) + (samples.longitudeE7[i] ?? 0);
      }
    }
    this.#first = first;
    this.#counts = counts;
    this.#speeds = speeds;
    this.#latitudes = latitudes;
    this.#longitudes = longitudes;
  }

  /** Returns the steps of an interval, from its start; null for a step without data. */
  stepsOf({ startMs, endMs }: Interval): (Step | null)[] {
    const { stepMs } = SUBSTITUTION_RULE;
    const from = Math.floor(startMs / stepMs) - this.#first;
    const to = Math.ceil(endMs / stepMs) - this.#first;
    return Array.from({ length: to - from }, (_, i) => {
      const count = this.#counts[from + i] ?? 0;
      if (count === 0) return null;
      return {
        speedMmPerS: (this.#speeds[from + i] ?? 0) / count,
        latitudeE7: (this.#latitudes[from + i] ?? 0) / count,
        longitudeE7: (this.#longitudes[from + i] ?? 0) / count,
      };
    });
  }
}

/** Returns the interval from the first step with the player on the pitch to the end of the last one; null if there is no such step. */
function inStretch(
  steps: readonly (Step | null)[],
  ground: Ground | null,
): { start: number; end: number } | null {
  const speeds = steps.map((step) => {
    if (step === null) return null;
    return ground === null || ground.isInPlay(step.latitudeE7, step.longitudeE7) ? step.speedMmPerS : 0;
  });
  const { outShare, outMmPerS } = SUBSTITUTION_RULE;
  const limit = Math.max(outMmPerS, outShare * fastMinute(speeds));
  // the stretch with the maximum sum of differences from the limit; the longest of several equal ones
  let best: { start: number; end: number } | null = null;
  let most = 0;
  let start = 0;
  let sum = 0;
  for (const [step, speed] of speeds.entries()) {
    sum += speed === null ? 0 : speed - limit;
    if (sum > 0 && sum >= most) {
      best = { start, end: step + 1 };
      most = sum;
    }
    if (sum < 0) {
      sum = 0;
      start = step + 1;
    }
  }
  return best;
}

/** Returns the mean speed of a player's fast minute. */
function fastMinute(speeds: readonly (number | null)[]): number {
  const means = speeds.map((_, step) => {
    const minute = speeds.slice(step, step + STEPS_OF_MINUTE).filter((speed) => speed !== null);
    return minute.reduce((sum, speed) => sum + speed, 0) / Math.max(1, minute.length);
  });
  means.sort((a, b) => a - b);
  return means[Math.floor(means.length * SUBSTITUTION_RULE.fastMinutes)] ?? 0;
}
