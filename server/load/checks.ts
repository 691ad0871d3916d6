/** Compares responses with the truth. Each function returns the problem, or null. */
import type { Resource } from "asi-client";
import { MATCH_SAMPLES, type Match, type Sample, type Session, sampleOf, stopMsOf } from "./truth.js";

export interface Page<T> {
  count: number;
  page: number;
  next: number | null;
  previous: number | null;
  results: readonly T[];
}

const KEYS = [
  "gnss.timestamp",
  "gnss.latitude",
  "gnss.longitude",
  "gnss.altitude",
  "gnss.speed",
  "ecg.hr",
] as const satisfies (keyof Sample)[];

/** Checks a page of the samples of a match from the index `first`, counted from 0. */
export function wrongPage(
  answer: Page<Sample>,
  match: Match,
  { first, count, limit, page = 1 }: { first: number; count: number; limit: number; page?: number },
): string | null {
  const skipped = (page - 1) * limit;
  const length = Math.min(limit, count - skipped);
  const next = skipped + length < count ? page + 1 : null;
  if (answer.count !== count || answer.next !== next || answer.page !== page) {
    return `count ${answer.count}, page ${answer.page}, next ${answer.next} instead of ${count}, ${page}, ${next}`;
  }
  if (answer.results.length !== length) return `${answer.results.length} samples instead of ${length}`;
  return wrongSamples(answer.results, (i) => sampleOf(match, first + skipped + i));
}

/** Checks the latest samples, newest first. */
export function wrongLatest(answer: readonly Sample[], match: Match, size: number): string | null {
  if (answer.length !== size) return `${answer.length} samples instead of ${size}`;
  return wrongSamples(answer, (i) => sampleOf(match, MATCH_SAMPLES - 1 - i));
}

/** Compares sample by sample, to detect a wrong order or duplicates. */
function wrongSamples(samples: readonly Sample[], expectedAt: (i: number) => Sample): string | null {
  for (const [i, sample] of samples.entries()) {
    const expected = expectedAt(i);
    for (const key of KEYS) {
      if (sample[key] !== expected[key]) {
        return `sample ${i}: ${key} is ${sample[key]} instead of ${expected[key]}`;
      }
    }
  }
  return null;
}

/** Checks the ranges: one per match, ascending. */
export function wrongRanges(
  answer: Page<Resource["RawDataRange"]>,
  matches: readonly Match[],
): string | null {
  const expected = matches.map((match) => ({
    start: new Date(match.startMs).toISOString(),
    stop: new Date(stopMsOf(match)).toISOString(),
    size: MATCH_SAMPLES,
  }));
  return differs(
    answer.results.map(({ start, stop, size }) => ({ start, stop, size })),
    expected,
  );
}

/** Checks the computed data of a time frame over a whole match. */
export function wrongFigures(
  answer: Resource["ComputedData"],
  match: Match,
  { distance, hrMax, hrMin }: Session = match.session,
): string | null {
  const { first_timestamp, last_timestamp, total_distance, hr_max, hr_min } = answer;
  return differs(
    { first_timestamp, last_timestamp, total_distance, hr_max, hr_min },
    {
      first_timestamp: match.startMs,
      last_timestamp: stopMsOf(match),
      total_distance: distance,
      hr_max: hrMax,
      hr_min: hrMin,
    },
  );
}

const MAX_SHOWN = 300;

/** Compares two values whose members have the same order. */
export function differs(got: unknown, expected: unknown): string | null {
  const [one, other] = [JSON.stringify(got), JSON.stringify(expected)];
  return one === other ? null : `${one?.slice(0, MAX_SHOWN)} instead of ${other?.slice(0, MAX_SHOWN)}`;
}
