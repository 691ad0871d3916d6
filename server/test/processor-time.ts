/** What the service costs that runs in the process of the tests. Processor time does not count what other processes take, as the clock does. */

/**
 * So many times the processor time of a harmless request mean that a reader is careless. One that goes over its input once takes a few
 * times as much at most, whatever else the process does meanwhile; one that goes over it for each character, thousands of times.
 */
export const CARELESS = 30;

/** A collection of what other tests left is no cost of this work: it does not come in each of the rounds. */
const ROUNDS = 3;

/** @returns what `work` returns at last, and the least processor time of this process in one of a few rounds, ms; not less than a millisecond */
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
