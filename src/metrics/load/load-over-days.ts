import { optionNames, requireBooleans, requireOptions, shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { dayNumber, dayText } from "../calendar-day.js";
import { roundHalfUp } from "../rounding.js";

/** Version of the rules for load over days. */
export const LOAD_VERSION = 1;

const ACUTE_DAYS = 7;
const CHRONIC_DAYS = 28;
const WEEK_DAYS = 7;
const REFERENCE_MATCHES = 5;
const SHORTEST_REFERENCE_MINUTES = 75;
const MOST_DAYS = 3660;

/** The load of one session, in any unit, such as m, TRIMP, or RPE x minutes. */
export interface SessionLoad {
  /** Local calendar day, `YYYY-MM-DD`. */
  readonly day: string;
  /** The load; null if it is unknown. The load of the day is then also unknown. */
  readonly load: number | null;
  /** Minutes played, if it was a match. */
  readonly matchMinutes?: number | undefined;
}

export interface LoadOptions {
  /** The last day, `YYYY-MM-DD`. Default: the day of the last session. */
  readonly to?: string | undefined;
  /** Whether to compute the ratio of acute to chronic load. Default false; docs/metrics.md explains why. */
  readonly ratio?: boolean | undefined;
}

const OPTIONS = optionNames<LoadOptions>({ to: true, ratio: true });

/** Figures for one day; null if required data is unknown. */
export interface DayLoad {
  readonly day: string;
  readonly load: number | null;
  /** Exponentially weighted means; null before the 28th day. */
  readonly acute: number | null;
  readonly chronic: number | null;
  /** Sum for this day and the six days before; null before the 7th day. */
  readonly week_sum: number | null;
  readonly monotony: number | null;
  readonly strain: number | null;
  /** The load as a percentage of the mean of the last 5 matches of at least 75 minutes, up to this day. */
  readonly percent_of_match: number | null;
  /** Ratio of acute to chronic load. Present only with the option `ratio`. */
  readonly ratio?: number | null;
}

/**
 * Computes the load over calendar days, from the first to the last. The loads of a day are added, and a day without a session is
 * a rest day.
 *
 * @param sessions in any order
 * @throws AsiError `BAD_ARGUMENT` for an invalid day or load; `BAD_OPTION`
 */
export function loadOverDays(sessions: readonly SessionLoad[], options: LoadOptions = {}): DayLoad[] {
  requireOptions(options, OPTIONS);
  requireBooleans(options, ["ratio"]);
  const days = daysOf(sessions, options.to);
  const loads = days.map(({ load }) => load);
  const acute = weightedMeans(loads, ACUTE_DAYS);
  const chronic = weightedMeans(loads, CHRONIC_DAYS);
  const references = matchReferences(sessions, days);
  return days.map(({ day, load }, i) => {
    const isShown = i + 1 >= CHRONIC_DAYS;
    const [short = null, long = null] = isShown ? [acute[i], chronic[i]] : [];
    const week = weekOf(loads, i);
    const reference = references[i] ?? null;
    return {
      day,
      load,
      acute: rounded(short, 1),
      chronic: rounded(long, 1),
      week_sum: rounded(week?.sum ?? null, 1),
      monotony: rounded(week?.monotony ?? null, 2),
      strain: rounded(week?.strain ?? null, 1),
      percent_of_match: load === null || reference === null ? null : roundHalfUp((100 * load) / reference, 1),
      ...(options.ratio === true && {
        ratio: short === null || long === null || long === 0 ? null : roundHalfUp(short / long, 2),
      }),
    };
  });
}

/**
 * Computes exponentially weighted means, not rounded. A day with an unknown load has the same mean as the previous day. The first
 * mean is that of the first day with a known load.
 */
export function weightedMeans(loads: readonly (number | null)[], days: number): (number | null)[] {
  const share = 2 / (days + 1);
  let mean: number | null = null;
  return loads.map((load) => {
    if (load !== null) mean = mean === null ? load : share * load + (1 - share) * mean;
    return mean;
  });
}

/**
 * Returns the figures for the week that ends with a day, not rounded; null before the 7th day, and if the load of a day is
 * unknown.
 */
export function weekOf(
  loads: readonly (number | null)[],
  day: number,
): { sum: number; monotony: number | null; strain: number | null } | null {
  if (day + 1 < WEEK_DAYS) return null;
  const week = loads.slice(day + 1 - WEEK_DAYS, day + 1);
  let sum = 0;
  for (const load of week) {
    if (load === null) return null;
    sum += load;
  }
  const mean = sum / WEEK_DAYS;
  const squares = week.reduce((total: number, load) => total + ((load ?? 0) - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (WEEK_DAYS - 1));
  if (!(deviation > 1e-12 * mean)) return { sum, monotony: null, strain: null };
  return { sum, monotony: mean / deviation, strain: (sum * mean) / deviation };
}

function rounded(value: number | null, decimals: number): number | null {
  return value === null ? null : roundHalfUp(value, decimals);
}

function daysOf(
  sessions: readonly SessionLoad[],
  to: string | undefined,
): { day: string; load: number | null }[] {
  if (!Array.isArray(sessions)) throw badArgument(`The sessions are ${shown(sessions)}; pass an array.`);
  const byDay = new Map<number, number | null>();
  for (const { day, load } of sessions) {
    const number = dayNumber(day);
    if (load !== null && !(Number.isFinite(load) && load >= 0)) {
      throw badArgument(`The load of ${day} is ${shown(load)}; it must be a number of at least 0, or null.`);
    }
    const before = byDay.has(number) ? (byDay.get(number) ?? null) : 0;
    byDay.set(number, load === null || before === null ? null : before + load);
  }
  if (byDay.size === 0) return [];
  const first = Math.min(...byDay.keys());
  const last = to === undefined ? Math.max(...byDay.keys()) : dayNumber(to);
  if (last - first >= MOST_DAYS)
    throw badArgument(
      `The days are from ${dayText(first)} to ${dayText(last)}, more than ${MOST_DAYS}. Remove sessions with a wrong date.`,
    );
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => ({
    day: dayText(first + i),
    load: byDay.has(first + i) ? (byDay.get(first + i) ?? null) : 0,
  }));
}

/** Returns the mean of the last 5 long matches up to each day; null before the first one. */
function matchReferences(
  sessions: readonly SessionLoad[],
  days: readonly { day: string }[],
): (number | null)[] {
  const matches = sessions
    .filter(({ load, matchMinutes = 0 }) => load !== null && matchMinutes >= SHORTEST_REFERENCE_MINUTES)
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  return days.map(({ day }) => {
    const known = matches.filter((match) => match.day <= day).slice(-REFERENCE_MATCHES);
    const sum = known.reduce((total, { load }) => total + (load ?? 0), 0);
    return sum === 0 ? null : sum / known.length;
  });
}

function badArgument(message: string): AsiError {
  return new AsiError("BAD_ARGUMENT", message);
}
