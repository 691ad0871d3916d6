/** What the service costs that runs in the process of the tests. Processor time does not count what other processes take, as the clock does. */

/**
 * So many times the processor time of a harmless request mean that a reader is careless. One that goes over its input once takes a few
 * times as much at most, whatever else the process does meanwhile; one that goes over it for each character, thousands of times.
 */
export const CARELESS = 30;

/** @returns what `work` returns, and the processor time of this process meanwhile, ms; not less than a millisecond */
export async function processorTimeOf<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: Math.max((user + system) / 1000, 1), result };
}
