import { findRanges, type Range, type Report, withoutRanges } from "asi-convert";
import type { Interval } from "../../store/samples/index.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { intersect } from "../sample-ownership/intervals.js";
import { type Owner, ownedTimes } from "../sample-ownership/owners.js";

/**
 * Maximum number of ranges and of readable times in the details of a job. A recording can have as many ranges as samples, and a
 * device can have thousands of ownerships.
 */
const MAX_LISTED = 1000;

/** What the parts of a recording have stored so far. */
export interface Loaded {
  read: number;
  stored: number;
  refused: number;
  unowned: number;
  /** Times of the samples that were stored or known, ascending in each part. */
  times: readonly Float64Array[];
}

/** Returns the details of the job of a recording, and the first and the last time of its samples in ms. */
export async function detailsOf(
  { queries }: UnitOfWork,
  owner: Owner,
  { read, stored, refused, unowned, times }: Loaded,
  report: Report,
): Promise<{ details: Record<string, unknown>; from?: number; to?: number }> {
  // The samples of five minutes can be in several parts.
  const kept = ascending(concat(times));
  const ranges = findRanges(kept);
  const [first, last] = [kept[0], kept.at(-1)];
  const span = first === undefined || last === undefined ? null : { startMs: first, stopMs: last };
  const readable = span === null ? [] : intersect([span], await ownedTimes(queries, owner, span));
  const details = {
    device: owner.deviceId,
    samples_read: read,
    // If samples were deleted during the load, they may have been stored twice.
    samples_stored: Math.min(stored, kept.length),
    samples_known: Math.max(kept.length - stored, 0),
    samples_refused: refused,
    samples_unowned: unowned,
    start: span === null ? null : iso(span.startMs),
    stop: span === null ? null : iso(span.stopMs),
    ranges: ranges.slice(0, MAX_LISTED).map(toRange),
    ...(ranges.length > MAX_LISTED ? { ranges_left_out: ranges.length - MAX_LISTED } : {}),
    readable: readable.slice(0, MAX_LISTED).map(toInterval),
    ...(readable.length > MAX_LISTED ? { readable_left_out: readable.length - MAX_LISTED } : {}),
    report: withoutRanges(report).rest,
  };
  return span === null ? { details } : { details, from: span.startMs, to: span.stopMs };
}

/**
 * Sorts only if necessary, because sorting 300,000 timestamps blocks the event loop for 20 ms, and most recordings are
 * in order.
 */
export function ascending(times: readonly number[] | Float64Array): Float64Array {
  const isInOrder = times.every((ms: number, i: number) => i === 0 || ms >= (times[i - 1] ?? ms));
  const all = Float64Array.from(times);
  return isInOrder ? all : all.sort();
}

function concat(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const iso = (ms: number) => new Date(ms).toISOString();
const toRange = ({ start, stop, size }: Range) => ({ start: iso(start), stop: iso(stop), size });
const toInterval = ({ startMs, stopMs }: Interval) => ({ start: iso(startMs), stop: iso(stopMs) });
