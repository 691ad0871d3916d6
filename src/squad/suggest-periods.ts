import { KM_PER_H } from "../metrics/rounding.js";
import type { SampleBatch } from "../types.js";
import type { Interval } from "./interval.js";
import { mainInterval } from "./recorded-time.js";

/** The recordings of a player: times in ms since 1970 UTC and speeds in mm/s, in chronological order. */
export interface RecordedSpeeds {
  recordings: readonly { samples: Pick<SampleBatch, "length" | "timestampMs" | "speedMmPerS"> }[];
}

/** The rule for suggesting periods *(choice)*. */
export const PLAY_RULE = {
  /** Minimum mean speed in a minute of a moving player: 4 km/h, in mm/s. */
  movingMmPerS: 4000 / KM_PER_H,
  /** Minimum number of moving players during play; half of all players who ever move if that is fewer. */
  players: 7,
  /** Minimum duration of play. */
  shortestPlayMs: 15 * 60_000,
  /** Minimum pause between two parts. */
  shortestPauseMs: 5 * 60_000,
  /** Starts and ends of suggested periods are multiples of this. */
  stepMs: 10_000,
  /** Speeds are averaged over this time. */
  windowMs: 60_000,
  /** If the last two parts have durations within these limits, they are halves. */
  halfMs: { shortest: 30 * 60_000, longest: 70 * 60_000 },
} as const;

export interface SuggestedPeriod extends Interval {
  name: string;
}

/**
 * Suggests the halves of a session, or its parts, from the pauses that most of the squad has in common.
 *
 * @returns suggestions in chronological order; empty if no one plays for 15 minutes
 */
export function suggestPeriods(players: readonly RecordedSpeeds[]): SuggestedPeriod[] {
  const { stepMs, windowMs, shortestPauseMs, shortestPlayMs } = PLAY_RULE;
  const session = mainInterval(players.flatMap(({ recordings }) => recordings));
  const startMs = Math.floor(session.startMs / stepMs) * stepMs;
  const steps = Math.ceil((session.endMs - 1 - startMs) / stepMs);
  const moving = players
    .map((player) => new MovingSteps(player, startMs, steps))
    .filter((player) => player.moves);
  const needed = Math.min(PLAY_RULE.players, Math.ceil(moving.length / 2));
  const countAt = (step: number, window: number) =>
    moving.reduce((sum, player) => sum + Number(player.isMoving(step, window)), 0);
  const stretches: Interval[] = [];
  for (let step = 0; moving.length > 0 && step < steps; step++) {
    if (countAt(step, windowMs / stepMs) < needed) continue;
    const at = startMs + step * stepMs;
    const last = stretches.at(-1);
    if (last !== undefined && at - last.endMs < shortestPauseMs) last.endMs = at + stepMs;
    else stretches.push({ startMs: at, endMs: at + stepMs });
  }
  // One-minute means blur the limits of play, so they are moved to the steps in which half of the required players move.
  const isQuiet = (ms: number) => countAt((ms - startMs) / stepMs, 1) < needed / 2;
  for (const one of stretches) {
    for (let i = 0; i < windowMs / stepMs && !isQuiet(one.startMs - stepMs); i++) one.startMs -= stepMs;
    for (let i = 0; i < windowMs / stepMs && !isQuiet(one.endMs); i++) one.endMs += stepMs;
    while (one.startMs < one.endMs && isQuiet(one.startMs)) one.startMs += stepMs;
    while (one.startMs < one.endMs && isQuiet(one.endMs - stepMs)) one.endMs -= stepMs;
  }
  return named(stretches.filter((one) => one.endMs - one.startMs >= shortestPlayMs));
}

/** The mean speeds of a player, by steps. */
class MovingSteps {
  readonly #steps: number;
  // sum of the speeds, and number of samples, before each step
  readonly #sums: Float64Array;
  readonly #counts: Float64Array;

  constructor({ recordings }: RecordedSpeeds, startMs: number, steps: number) {
    this.#steps = steps;
    this.#sums = new Float64Array(steps + 1);
    this.#counts = new Float64Array(steps + 1);
    for (const { samples } of recordings) {
      for (let i = 0; i < samples.length; i++) {
        const step = Math.floor(((samples.timestampMs[i] ?? 0) - startMs) / PLAY_RULE.stepMs);
        const speed = samples.speedMmPerS[i] ?? -1;
        if (step < 0 || step >= steps || speed < 0) continue;
        this.#sums[step + 1] = (this.#sums[step + 1] ?? 0) + speed;
        this.#counts[step + 1] = (this.#counts[step + 1] ?? 0) + 1;
      }
    }
    for (let step = 1; step <= steps; step++) {
      this.#sums[step] = (this.#sums[step] ?? 0) + (this.#sums[step - 1] ?? 0);
      this.#counts[step] = (this.#counts[step] ?? 0) + (this.#counts[step - 1] ?? 0);
    }
  }

  /** Whether the player moves in at least one minute. */
  get moves(): boolean {
    const window = PLAY_RULE.windowMs / PLAY_RULE.stepMs;
    for (let step = 0; step < this.#steps; step++) if (this.isMoving(step, window)) return true;
    return false;
  }

  /** Returns whether the mean speed over several steps around this one reaches that of a moving player. */
  isMoving(step: number, window: number): boolean {
    const from = Math.max(0, step - Math.floor(window / 2));
    const to = Math.min(this.#steps, step + Math.max(1, Math.ceil(window / 2)));
    const count = (this.#counts[to] ?? 0) - (this.#counts[from] ?? 0);
    const sum = (this.#sums[to] ?? 0) - (this.#sums[from] ?? 0);
    return count > 0 && sum / count > PLAY_RULE.movingMmPerS;
  }
}

/** Returns whether an interval lasts 30 to 70 minutes. */
export const isAsLongAsHalf = ({ startMs, endMs }: Interval): boolean =>
  endMs - startMs >= PLAY_RULE.halfMs.shortest && endMs - startMs <= PLAY_RULE.halfMs.longest;

/** Names the stretches `Warm-up`, `1st half` and `2nd half` if two of them are as long as halves; otherwise `Part 1` and so on. */
function named(stretches: readonly Interval[]): SuggestedPeriod[] {
  const halves = stretches.filter(isAsLongAsHalf);
  return stretches.map((one, i) => {
    const warmUp = i === 0 && stretches[1] === halves[0] ? "Warm-up" : undefined;
    const name = halves.length === 2 ? (["1st half", "2nd half"][halves.indexOf(one)] ?? warmUp) : undefined;
    return { name: name ?? `Part ${i + 1}`, ...one };
  });
}
