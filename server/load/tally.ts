import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

/** Kinds of calls by caller. The target for response times applies to calls of readers. */
export const READING = [
  "device list",
  "ranges of 2 days",
  "300 latest samples",
  "page of 3,000 samples",
  "page of 25,000 samples",
  "computed data of a time frame",
  "time frames of an activity",
  "account",
] as const;
export const WRITING = [
  "bulk load, until accepted",
  "bulk load, until stored",
  "time frame created",
  "computed data of a new time frame",
  "time frame updated",
  "time frame deleted",
  "activity updated",
  "conversion",
  "webhook, from response to call",
] as const;

export type ReadingKind = (typeof READING)[number];
export type Kind = ReadingKind | (typeof WRITING)[number];

export interface Latencies {
  calls: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Creates a histogram of times in microseconds, with three digits. */
const newHistogram = () => createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 });

function read(histogram: RecordableHistogram): Latencies {
  const ms = (percent: number) => histogram.percentile(percent) / 1000;
  const calls = histogram.count;
  return {
    calls,
    p50Ms: ms(50),
    p90Ms: ms(90),
    p99Ms: ms(99),
    maxMs: calls === 0 ? 0 : histogram.max / 1000,
  };
}

/** Maximum number of described faults. Further faults are only counted. */
const MAX_DESCRIBED = 20;

/** Results of the calls. */
export class Tally {
  #histograms = new Map<Kind, RecordableHistogram>();
  #reading = newHistogram();
  #late = newHistogram();
  /** Responses that differ from the truth. */
  wrong = 0;
  /** Refused or failed calls, and calls that were never made. */
  errors = 0;
  readonly described: string[] = [];
  startedAtMs = performance.now();

  /** Resets the times but not the faults. */
  restart(): void {
    this.#histograms = new Map();
    this.#reading = newHistogram();
    this.#late = newHistogram();
    this.startedAtMs = performance.now();
  }

  /** @param ms time from the due time of the call to the last byte of the response */
  record(kind: Kind, ms: number): void {
    const us = Math.max(1, Math.round(ms * 1000));
    let histogram = this.#histograms.get(kind);
    if (histogram === undefined) {
      histogram = newHistogram();
      this.#histograms.set(kind, histogram);
    }
    histogram.record(us);
    if ((READING as readonly Kind[]).includes(kind)) this.#reading.record(us);
  }

  /** @param ms time from the due time of a call until the generator made it */
  recordLateness(ms: number): void {
    this.#late.record(Math.max(1, Math.round(ms * 1000)));
  }

  isWrong(kind: Kind, why: string): void {
    this.wrong++;
    this.#describe(`${kind}: ${why}`);
  }

  hasFailed(what: string, error: unknown): void {
    this.errors++;
    this.#describe(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }

  of(kind: Kind): Latencies {
    return read(this.#histograms.get(kind) ?? newHistogram());
  }

  /** Times of all calls of readers together. */
  get reading(): Latencies {
    return read(this.#reading);
  }

  /** Time by which calls begin late, because a reader waits for a slow response before the next call. */
  get late(): Latencies {
    return read(this.#late);
  }

  #describe(what: string): void {
    if (this.described.length < MAX_DESCRIBED) this.described.push(what);
  }
}
