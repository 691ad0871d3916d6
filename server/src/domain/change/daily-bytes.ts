import type { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.js";
import { recentEntries } from "../../fairness/recent-entries.js";

export const DAY_MS = 86_400_000;

/** Maximum number of cached daily counts. */
const MAX_KNOWN = 100_000;

/** Kinds of counted rows. */
type Rows = "audit" | "audit of jobs" | "webhook calls";

interface Day {
  /** Days since 1970 UTC. */
  day: number;
  bytes: number;
}

/** Counts of this process, keyed by its settings. They start at zero when the process starts. */
const daysOf = new WeakMap<Config, LRUCache<string, Day>>();

function daysIn(config: Config): LRUCache<string, Day> {
  const days = daysOf.get(config) ?? recentEntries<Day>(MAX_KNOWN);
  daysOf.set(config, days);
  return days;
}

export const dayOf = (now: Date): number => Math.floor(now.getTime() / DAY_MS);

/** Returns the bytes of rows that this process has added for an account on the day (UTC). */
export function bytesOfDay(config: Config, rows: Rows, accountId: number, now: Date): number {
  const known = daysIn(config).get(`${rows} ${accountId}`);
  return known?.day === dayOf(now) ? known.bytes : 0;
}

/** Call it after the commit, because a rolled-back transaction adds no bytes. */
export function addBytesOfDay(config: Config, rows: Rows, accountId: number, now: Date, added: number): void {
  const bytes = bytesOfDay(config, rows, accountId, now) + added;
  daysIn(config).set(`${rows} ${accountId}`, { day: dayOf(now), bytes });
}
