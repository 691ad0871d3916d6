/** Cost of the service in the process of the tests. Processor time, unlike the clock, excludes time of other processes. */

/**
 * Maximum ratio to the processor time of a harmless request. A parser that reads its input once takes a few times as much, even
 * during other work; a parser that rereads it for each character takes thousands of times.
 */
export const CARELESS = 30;

/** Garbage collection of other tests' data does not count, because it does not happen in every round. */
const ROUNDS = 3;

/**
 * @returns the last result of `work`, and the minimum processor time of this process over a few rounds, ms; at least one
 *   millisecond
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
