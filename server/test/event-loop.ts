/** Tests run the service in their own process: whatever holds its event loop holds theirs. */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The longest time for which the event loop stood still while `work` ran, ms. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  // Two turns before and after, so that what holds the very first or last one is seen as well.
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 30));
  await work();
  await new Promise((resolve) => setTimeout(resolve, 30));
  delay.disable();
  return delay.max / 1e6;
}
