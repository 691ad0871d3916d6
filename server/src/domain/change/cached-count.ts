import type { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.js";
import { recentEntries } from "../../fairness/recent-entries.js";
import type { UnitOfWork } from "./unit-of-work.js";

interface Count {
  rows: number;
  /** Time of the count, ms. */
  atMs: number;
  /** Duration of the count, ms. */
  tookMs: number;
}

/** Lifetime of a count. It misses additions of other processes during this time. */
const COUNT_VALID_MS = 60_000;
/** Age after which rows are counted again before a request is refused. */
const RECOUNT_AFTER_MS = 5_000;
/** A slow count is repeated later, so that counting for refused requests takes at most this share of the time. */
const MAX_COUNTING_SHARE = 0.02;
/** Age after which rows are counted again even if counting is slow, because the user may have deleted some. */
const RECOUNT_AT_LATEST_MS = 20_000;
const MAX_COUNTS = 20_000;

/** Counts of this process, keyed by its settings. */
const countsOf = new WeakMap<Config, LRUCache<string, Count>>();

function countsIn(config: Config): LRUCache<string, Count> {
  const counts = countsOf.get(config) ?? recentEntries<Count>(MAX_COUNTS);
  countsOf.set(config, counts);
  return counts;
}

/**
 * Whether the number of rows of an account is within the limit. Counting many rows is slow, so this happens at most once a
 * minute; in between, additions of this process are added to the last count.
 * @param name name of the rows and the account
 * @param added increase of the count in this transaction
 * @param count counts the rows visible to the transaction
 */
export async function isWithin(
  { config, now }: Pick<UnitOfWork, "config" | "now">,
  quota: number,
  name: string,
  added: number,
  count: () => Promise<number>,
): Promise<boolean> {
  const counts = countsIn(config);
  const known = counts.get(name);
  const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now.getTime() - known.atMs;
  if (known !== undefined && ageMs < COUNT_VALID_MS && known.rows + added <= quota) {
    counts.set(name, { ...known, rows: known.rows + added });
    return true;
  }
  if (known !== undefined && ageMs < recountAfterMs(known)) return false;
  const startMs = performance.now();
  const rows = await count();
  const isEnough = rows <= quota;
  // The transaction of a refused change is rolled back.
  counts.set(name, {
    rows: isEnough ? rows : rows - added,
    atMs: now.getTime(),
    tookMs: performance.now() - startMs,
  });
  return isEnough;
}

const recountAfterMs = ({ tookMs }: Count) =>
  Math.min(RECOUNT_AT_LATEST_MS, Math.max(RECOUNT_AFTER_MS, tookMs / MAX_COUNTING_SHARE));
