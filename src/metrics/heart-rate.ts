import type { HeartRateZone } from "./metrics.js";
import { divideRoundingHalfUp, shareRoundingHalfUp } from "./rounding.js";
import type { OrderedSamples } from "./samples.js";

/** Limits of a plausible heart rate, both inclusive, bpm. */
export const HEART_RATE_LIMITS = { minimum: 30, maximum: 240 } as const;

/** A heart rate is valid until the next one, but no longer than this. */
export const LONGEST_HOLD_MS = 5000;

/** Limits of the zones in percent of the maximum heart rate: the five zones of Polar and the ACSM, and the zone below them. */
export const ZONE_LIMITS_PERCENT = [0, 50, 60, 70, 80, 90, 100] as const;

const AVERAGE_DECIMALS = 1;
const PERCENTAGE_DECIMALS = 2;

/** A higher age means that the birth date is wrong. */
const OLDEST_AGE_YEARS = 130;

/** Heart-rate figures for a time frame; null if it has no valid heart rate. */
export interface HeartRateFigures {
  readonly max: number | null;
  readonly min: number | null;
  /** The mean, weighted by time. */
  readonly average: number | null;
  /** The last heart rate in the time frame. */
  readonly last: number | null;
  readonly zones: HeartRateZone[];
}

/** Returns whether a heart rate is plausible; 0 means that there is no heart rate. */
export function isValidHeartRate(bpm: number): boolean {
  return bpm >= HEART_RATE_LIMITS.minimum && bpm <= HEART_RATE_LIMITS.maximum;
}

/**
 * @param samples the samples in the time frame, with any speed
 * @param lastMs `last_timestamp`, which ends the validity of the last heart rate
 * @param athleteMaxBpm a multiple of 0.1; null to compute no zones
 */
export function summariseHeartRate(
  samples: OrderedSamples,
  lastMs: number,
  athleteMaxBpm: number | null,
): HeartRateFigures {
  const heldMs = new Float64Array(HEART_RATE_LIMITS.maximum + 1);
  let min: number | null = null;
  let max: number | null = null;
  let last: number | null = null;
  holdHeartRates(samples, lastMs, (bpm, fromMs, toMs) => {
    heldMs[bpm] = (heldMs[bpm] ?? 0) + toMs - fromMs;
    if (min === null || bpm < min) min = bpm;
    if (max === null || bpm > max) max = bpm;
    last = bpm;
  });
  return { max, min, average: averageOf(heldMs) ?? last, last, zones: zonesOf(heldMs, athleteMaxBpm) };
}

/**
 * Calls `hold` for each valid heart rate with its duration: until the next one or the last sample of the period, at most 5 s.
 *
 * @param lastMs latest end of the last heart rate
 */
export function holdHeartRates(
  { hr, timestampMs, startsMs = [] }: OrderedSamples,
  lastMs: number,
  hold: (bpm: number, fromMs: number, toMs: number) => void,
): void {
  let heardBpm = 0;
  let heardMs = 0;
  let period = 0;
  const holdUntil = (untilMs: number) => {
    if (heardBpm !== 0) hold(heardBpm, heardMs, Math.min(untilMs, heardMs + LONGEST_HOLD_MS));
  };
  for (let i = 0; i < hr.length; i++) {
    const t = timestampMs[i] ?? 0;
    if (t >= (startsMs[period] ?? Number.POSITIVE_INFINITY)) {
      holdUntil(timestampMs[i - 1] ?? t);
      heardBpm = 0;
      while (t >= (startsMs[period] ?? Number.POSITIVE_INFINITY)) period++;
    }
    const bpm = hr[i] ?? 0;
    if (!isValidHeartRate(bpm)) continue;
    holdUntil(t);
    heardBpm = bpm;
    heardMs = t;
  }
  holdUntil(lastMs);
}

/**
 * Returns the maximum heart rate to which the zones refer.
 *
 * @param maxHr `max_hr` of the parameters, which has precedence
 * @param birthDate `YYYY-MM-DD`
 * @param atMs time at which the age is computed, ms since 1970 UTC; null if there is none
 * @returns beats per minute: `maxHr`, otherwise 208 - 0.7 x age in completed years, rounded (Tanaka et al. 2001); null
 *   if neither is known
 */
export function athleteMaxHeartRate(
  maxHr: number | null,
  birthDate: string | null,
  atMs: number | null,
): number | null {
  if (maxHr !== null) return maxHr;
  if (birthDate === null || atMs === null) return null;
  const age = completedYears(birthDate, atMs);
  if (!(age >= 0 && age <= OLDEST_AGE_YEARS)) return null;
  return divideRoundingHalfUp(2080 - 7 * age, 10, 0);
}

function completedYears(birthDate: string, atMs: number): number {
  const today = new Date(atMs);
  const years = today.getUTCFullYear() - Number(birthDate.slice(0, 4));
  const [, month = 0, day = 0] = birthDate.split("-").map(Number);
  const monthsLeft = month - (today.getUTCMonth() + 1);
  const isBeforeBirthday = monthsLeft > 0 || (monthsLeft === 0 && today.getUTCDate() < day);
  return isBeforeBirthday ? years - 1 : years;
}

/** Returns null if no heart rate was valid for any time. In this case, there is at most one heart rate, in the last sample. */
function averageOf(heldMs: Float64Array): number | null {
  let totalMs = 0;
  let weighted = 0;
  heldMs.forEach((ms, bpm) => {
    totalMs += ms;
    weighted += bpm * ms;
  });
  return totalMs === 0 ? null : divideRoundingHalfUp(weighted, totalMs, AVERAGE_DECIMALS);
}

function zonesOf(heldMs: Float64Array, athleteMaxBpm: number | null): HeartRateZone[] {
  if (athleteMaxBpm === null) return [];
  const maxTenths = Math.round(athleteMaxBpm * 10);
  const lows = ZONE_LIMITS_PERCENT.slice(0, -1);
  const zoneMs = lows.map(() => 0);
  let totalMs = 0;
  heldMs.forEach((ms, bpm) => {
    // bpm >= low % of the maximum, in integers. Heart rates above 100 % belong to the last zone.
    const zone = lows.findLastIndex((low) => bpm * 1000 >= low * maxTenths);
    zoneMs[zone] = (zoneMs[zone] ?? 0) + ms;
    totalMs += ms;
  });
  const bpmAt = (percent: number) => divideRoundingHalfUp(percent * maxTenths, 1000, 1);
  return lows.map((low, zone) => {
    const high = ZONE_LIMITS_PERCENT[zone + 1] ?? 100;
    return {
      percentage_hrmax: shareRoundingHalfUp((zoneMs[zone] ?? 0) * 100, totalMs, PERCENTAGE_DECIMALS),
      range_bpm: [bpmAt(low), bpmAt(high)],
      range_percent_hrmax: [low, high],
    };
  });
}
