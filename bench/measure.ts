import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Benchmark from "benchmark";
import type { CaseId } from "./labels.js";

export type Measurements = ReadonlyMap<CaseId, Measurement>;

/** A measured case. Each run reads `rows` rows in `bytes` bytes. */
export interface Case {
  readonly id: CaseId;
  readonly rows: number;
  readonly bytes: number;
  /** Measures several runs. Returns their times, s. */
  sample(): Promise<number[]>;
}

export interface Measurement {
  readonly rows: number;
  readonly bytes: number;
  /** Times of all runs, s. */
  readonly samples: number[];
  /** The fastest run: other programs on the machine only add time, and often half as much again for a second or two. */
  readonly fastestS: number;
}

/** Minimum number of runs in a round. */
const SAMPLES_PER_ROUND = 2;

/** Minimum duration of a round, s. Short cases run more often, because the fastest of a few short runs differs from one benchmark to the next. */
const ROUND_S = 0.05;

/**
 * Creates a case that benchmark.js measures. It runs as a deferred benchmark even if the work is synchronous. All cases are then treated
 * equally, and benchmark.js omits the two trial runs that precede every sample of a plain function.
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
      maxTime: ROUND_S,
      fn(deferred: { resolve(): void }) {
        // the async function catches errors; a rejection of the test function itself would end the process
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
 * Runs all cases briefly in each round, beginning with a different one each time, so that drift of the machine and side effects of a case
 * affect all cases equally. Garbage is collected before each case.
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
      return [id, { rows, bytes, samples: all, fastestS: Math.min(...all) }];
    }),
  );
}

/** Returns the median; NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
