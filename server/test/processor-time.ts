/**
 * Measures the cost of the service in the process of the tests. Unlike the clock, processor time excludes the time of other
 * processes.
 */

/**
 * Maximum ratio to the processor time of a harmless request. A parser that reads its input once takes a few times as much, even
 * during other work; a parser that rereads the input for each character takes thousands of times as much.
 */
export const CARELESS = 30;

/** Number of rounds. Garbage collection of other tests' data does not count, because it does not happen in every round. */
const ROUNDS = 3;

/**
 * Runs `work` a few times.
 * @returns its last result, and the minimum processor time of this process in a round, ms; at least one millisecond
 */
export async function processorTimeOf<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 1; ; round++) {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
    if (round === ROUNDS) return { ms: Math.max(leastMs, 1), result };
  }
}
