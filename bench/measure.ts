import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Benchmark from "benchmark";
import type { CaseId } from "./labels.js";

export type Measurements = ReadonlyMap<CaseId, Measurement>;

/** Something that is timed: it reads `rows` rows in `bytes` bytes each time it runs. */
export interface Case {
  readonly id: CaseId;
  readonly rows: number;
  readonly bytes: number;
  /** Times of a few runs, s. */
  sample(): Promise<number[]>;
}

export interface Measurement {
  readonly rows: number;
  readonly bytes: number;
  /** Times of all runs, s. */
  readonly samples: number[];
  readonly medianS: number;
}

const SAMPLES_PER_ROUND = 2;

/**
 * A case that benchmark.js times. It runs deferred also where the work is synchronous: so it treats all cases alike, and
 * it spares the two trial runs which it puts before every sample of a plain function.
 */
export function timed(
  id: CaseId,
  size: { rows: number; bytes: number },
  run: () => void | Promise<void>,
): Case {
  return { id, ...size, sample: () => sample(id, run) };
}

function sample(name: string, run: () => void | Promise<void>): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let failure: unknown = null;
    const benchmark = new Benchmark(name, {
      defer: true,
      minSamples: SAMPLES_PER_ROUND,
      maxTime: 0,
      fn(deferred: { resolve(): void }) {
        // A rejection that leaves the test function would end the process.
        (async () => run())()
          .catch((error: unknown) => {
            failure = error;
            benchmark.abort();
          })
          .finally(() => deferred.resolve());
      },
      onComplete() {
        if (failure !== null) reject(failure);
        else resolve([...benchmark.stats.sample]);
      },
    });
    benchmark.run({ async: true });
  });
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/**
 * Runs all cases briefly in each round, each round from another one on: the machine's drift, and what a case leaves
 * behind for the next, fall on all alike. Nobody pays for the garbage of the case before.
 */
export async function interleave(
  cases: readonly Case[],
  rounds: number,
  onRound: (round: number) => void,
): Promise<Measurements> {
  const samples = new Map(cases.map(({ id }) => [id, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    onRound(round + 1);
    const first = round % Math.max(1, cases.length);
    for (const { id, sample } of [...cases.slice(first), ...cases.slice(0, first)]) {
      collectGarbage();
      samples.get(id)?.push(...(await sample()));
    }
  }
  return new Map(
    cases.map(({ id, rows, bytes }) => {
      const all = samples.get(id) ?? [];
      return [id, { rows, bytes, samples: all, medianS: median(all) }];
    }),
  );
}

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
