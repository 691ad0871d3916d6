import { requireColumns, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { SampleBatch } from "../types.js";
import type { Period } from "./options.js";
import { checkQuality, copyQuality, newQuality, qualityAt, qualityBetween } from "./quality.js";
import { isKept, keepWhatIsMadeOf, shared } from "./shared.js";

/**
 * Samples of one device as columns of integers: a batch that `decode` returns, or these columns of it. `speedMmPerS` is negative
 * if there is no speed, and `hr` is 0 if there is no heart rate. Only the gate of a recipe needs `quality`.
 */
export type MetricSamples = Readonly<
  Pick<SampleBatch, "length" | "timestampMs" | "speedMmPerS" | "hr" | "quality">
>;

/** Samples in ascending order of time, with distinct times. Every column has exactly `length` entries. */
export interface OrderedSamples extends MetricSamples {
  /**
   * The starts of all periods except the first, if several separate periods were selected. Nothing is joined, summed or repeated
   * across these times.
   */
  readonly startsMs?: readonly number[];
}

const COLUMN_TYPES = { timestampMs: "Float64Array", speedMmPerS: "Int32Array", hr: "Uint8Array" } as const;

/**
 * Sorts the samples of a recording once for several functions, which then share intermediate results. The functions accept the
 * result instead of the samples, and return the same values. The columns must not change afterwards.
 *
 * @param samples a batch of `decode`, or all of them
 * @throws AsiError `BAD_ARGUMENT` for invalid samples
 */
export function prepareSamples(samples: MetricSamples | Iterable<MetricSamples>): MetricSamples {
  const ordered = orderSamples(samples);
  keepWhatIsMadeOf(ordered);
  return ordered;
}

/**
 * Joins batches and sorts their samples by time. Of several samples with the same time, the first one is kept; if it has no heart
 * rate, it gets the first heart rate of the others. The service stores samples according to the same rule.
 *
 * @param samples batches in any order; they are not changed
 * @throws AsiError `BAD_ARGUMENT` for columns of other types, columns shorter than `length`, and times that are not integers
 */
export function orderSamples(samples: MetricSamples | Iterable<MetricSamples>): OrderedSamples {
  if (isPrepared(samples)) return samples;
  const joined = join(batchesOf(samples));
  return isAscending(joined.timestampMs) ? joined : withoutRepetitions(joined);
}

function isPrepared(samples: MetricSamples | Iterable<MetricSamples>): samples is OrderedSamples {
  return typeof samples === "object" && samples !== null && isKept(samples);
}

function batchesOf(samples: MetricSamples | Iterable<MetricSamples>): MetricSamples[] {
  const isIterable = typeof samples === "object" && samples !== null && Symbol.iterator in samples;
  const batches = isIterable ? [...samples] : [samples];
  batches.forEach(checkColumns);
  return batches;
}

function checkColumns(batch: MetricSamples): void {
  if (typeof batch !== "object" || batch === null) {
    throw bad(`The samples are ${shown(batch)}; pass a batch of decode, or an array of batches.`);
  }
  const { length } = batch;
  if (!Number.isSafeInteger(length) || length < 0) {
    throw bad(`length is ${shown(length)}; it must be the number of samples.`);
  }
  requireColumns(batch, COLUMN_TYPES, length);
  if (batch.quality !== undefined) checkQuality(batch.quality, length);
}

function join(batches: readonly MetricSamples[]): MetricSamples {
  const [only] = batches;
  if (only !== undefined && batches.length === 1) return between(only, 0, only.length);
  const joined = allocate(
    batches.reduce((sum, { length }) => sum + length, 0),
    batches.every(({ quality }) => quality !== undefined),
  );
  let at = 0;
  for (const batch of batches) {
    const { length, timestampMs, speedMmPerS, hr, quality } = between(batch, 0, batch.length);
    joined.timestampMs.set(timestampMs, at);
    joined.speedMmPerS.set(speedMmPerS, at);
    joined.hr.set(hr, at);
    if (quality !== undefined && joined.quality !== undefined) copyQuality(quality, joined.quality, at);
    at += length;
  }
  return joined;
}

/** Returns whether the times are in ascending order. It also checks that every time is an integer. */
function isAscending(timestampMs: Float64Array): boolean {
  let ascends = true;
  let previousMs = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < timestampMs.length; i++) {
    const ms = timestampMs[i] ?? Number.NaN;
    if (!Number.isSafeInteger(ms)) {
      throw bad(`timestampMs[${i}] is ${ms}; it must be an integer of ms since 1970.`);
    }
    if (ms <= previousMs) ascends = false;
    previousMs = ms;
  }
  return ascends;
}

function withoutRepetitions({
  length,
  timestampMs,
  speedMmPerS,
  hr,
  quality,
}: MetricSamples): OrderedSamples {
  const order = Uint32Array.from({ length }, (_, i) => i);
  // sorting is stable, so equal times keep their order
  order.sort((a, b) => (timestampMs[a] ?? 0) - (timestampMs[b] ?? 0));
  const kept = allocate(length, false);
  let count = 0;
  for (const i of order) {
    const ms = timestampMs[i] ?? 0;
    if (count > 0 && kept.timestampMs[count - 1] === ms) {
      if (kept.hr[count - 1] === 0) kept.hr[count - 1] = hr[i] ?? 0;
      continue;
    }
    kept.timestampMs[count] = ms;
    kept.speedMmPerS[count] = speedMmPerS[i] ?? 0;
    kept.hr[count] = hr[i] ?? 0;
    // the kept samples are moved to the start of `order`
    order[count] = i;
    count++;
  }
  return {
    ...between(kept, 0, count),
    ...(quality !== undefined && { quality: qualityAt(quality, order.subarray(0, count)) }),
  };
}

/** Number of samples that are excluded from all figures because another sample has the same time. */
export interface Repeated {
  samples: number;
  /** Number of heart rates that are excluded with them. */
  heartRates: number;
}

/** Counts the samples that `orderSamples` drops. */
export function repeatedIn(samples: MetricSamples | Iterable<MetricSamples>): Repeated {
  const batches = batchesOf(samples);
  const kept = orderSamples(batches);
  const left = batches.reduce((sum, { length }) => sum + length, 0) - kept.length;
  if (left === 0) return { samples: 0, heartRates: 0 };
  const heartRates = batches.reduce((sum, batch) => sum + heartRatesOf(batch), 0) - heartRatesOf(kept);
  return { samples: left, heartRates };
}

function heartRatesOf({ length, hr }: MetricSamples): number {
  let count = 0;
  for (let i = 0; i < length; i++) if (hr[i] !== 0) count++;
  return count;
}

/**
 * Selects the samples that are in one of the periods, and whose time `t` satisfies `fromMs <= t <= toMs`.
 *
 * @returns columns that may share memory with `samples`
 */
export function selectSamples(
  samples: OrderedSamples,
  fromMs: number,
  toMs: number,
  periods: readonly Period[],
): OrderedSamples {
  const disjoint = disjointPeriods(fromMs, toMs, periods);
  const places = disjoint.map(({ startMs, endMs }) => ({
    from: countBefore(samples.timestampMs, startMs),
    to: countBefore(samples.timestampMs, endMs),
  }));
  const startsMs = disjoint.slice(1).map(({ startMs }) => startMs);
  const key = `samples ${places.map(({ from, to }) => `${from}-${to}`).join()} ${startsMs.join()}`;
  return shared(samples, key, () => {
    const selected = join(places.map(({ from, to }) => between(samples, from, to)));
    return startsMs.length === 0 ? selected : { ...selected, startsMs };
  });
}

/** Returns the periods between two times as separate intervals in ascending order. */
function disjointPeriods(fromMs: number, toMs: number, periods: readonly Period[]): Period[] {
  const disjoint: { startMs: number; endMs: number }[] = [];
  for (const period of [...periods].sort((a, b) => a.startMs - b.startMs)) {
    const last = disjoint.at(-1);
    const startMs = Math.max(period.startMs, fromMs, last?.endMs ?? fromMs);
    // Times are integers, so the half-open interval ends 1 ms after the last time.
    const endMs = Math.min(period.endMs, toMs + 1);
    if (startMs >= endMs) continue;
    if (last?.endMs === startMs) last.endMs = endMs;
    else disjoint.push({ startMs, endMs });
  }
  return disjoint;
}

/** Returns how many of the times are before `t`, by binary search. */
export function countBefore(timestampMs: Float64Array, t: number): number {
  let low = 0;
  let high = timestampMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timestampMs[middle] ?? t) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function between(samples: MetricSamples, from: number, to: number): MetricSamples {
  const { timestampMs, speedMmPerS, hr, quality } = samples;
  return {
    length: to - from,
    timestampMs: timestampMs.subarray(from, to),
    speedMmPerS: speedMmPerS.subarray(from, to),
    hr: hr.subarray(from, to),
    ...(quality !== undefined && { quality: qualityBetween(quality, from, to) }),
  };
}

function allocate(length: number, hasQuality: boolean): MetricSamples {
  return {
    length,
    timestampMs: new Float64Array(length),
    speedMmPerS: new Int32Array(length),
    hr: new Uint8Array(length),
    ...(hasQuality && { quality: newQuality(length) }),
  };
}

function bad(message: string): AsiError {
  return new AsiError("BAD_ARGUMENT", message);
}
