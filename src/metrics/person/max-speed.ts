import { type AccelerationSignal, accelerationSignals } from "../acceleration.js";
import { dayNumber } from "../calendar-day.js";
import type { MetricsOptions } from "../options.js";
import { fromThousandths, roundHalfUp } from "../rounding.js";
import type { MetricSamples } from "../samples.js";
import { selectedSignal } from "../selected-signal.js";

/** Number of values at 10 Hz in 0.5 s, including both ends. */
const HELD_VALUES = 6;

/** Number of days in a season, including the day for which the maximum speed is requested. */
export const SEASON_DAYS = 365;
const CONFIRMED_WITHIN = 1.05;

/**
 * Returns the maximum sprinting speed of a session: the highest speed that is sustained for 0.5 s.
 *
 * @returns m/s with 3 decimals; null below 5 Hz, and without 1 s of signal
 * @throws AsiError `BAD_ARGUMENT`, `BAD_OPTION`
 */
export function sessionMaxSpeed(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): number | null {
  const held = heldMaxSpeed(accelerationSignals(selectedSignal(samples, options).signal));
  return held === null ? null : fromThousandths(held);
}

/** Returns the maximum speed that is sustained for 0.5 s, in mm/s, not rounded. */
export function heldMaxSpeed(signals: readonly AccelerationSignal[]): number | null {
  let best: number | null = null;
  for (const { speedMmPerS } of signals) {
    for (let k = 0; k + HELD_VALUES <= speedMmPerS.length; k++) {
      if (best !== null && (speedMmPerS[k] ?? 0) <= best) continue;
      let least = Number.POSITIVE_INFINITY;
      for (let j = k; j < k + HELD_VALUES; j++) least = Math.min(least, speedMmPerS[j] ?? 0);
      if (best === null || least > best) best = least;
    }
  }
  return best;
}

/** Maximum speed of one session. */
export interface SessionMaxSpeed {
  /** Local calendar day, `YYYY-MM-DD`. */
  readonly day: string;
  /** m/s */
  readonly maxSpeed: number;
}

export interface SeasonMaxSpeed {
  /** m/s */
  readonly max_speed: number;
  readonly day: string;
  /** Whether no other session is within 5 % of this speed. If so, it may be a measurement error. */
  readonly unconfirmed: boolean;
}

/**
 * Returns the highest speed in the 365 days up to `to`.
 *
 * @param to `YYYY-MM-DD`
 * @returns null if there is no session
 * @throws AsiError `BAD_ARGUMENT`
 */
export function seasonMaxSpeed(sessions: readonly SessionMaxSpeed[], to: string): SeasonMaxSpeed | null {
  const lastDay = dayNumber(to);
  const [best, second] = sessions
    .filter(({ day }) => dayNumber(day) <= lastDay && dayNumber(day) > lastDay - SEASON_DAYS)
    // the sort is stable, so the first of equal values is kept
    .sort((a, b) => b.maxSpeed - a.maxSpeed);
  if (best === undefined) return null;
  return {
    max_speed: roundHalfUp(best.maxSpeed, 3),
    day: best.day,
    unconfirmed: second === undefined || best.maxSpeed > CONFIRMED_WITHIN * second.maxSpeed,
  };
}
