/**
 * Loaded into the built service before it starts (`node --import`): reports the blocking of the event loop and the memory of the
 * process since the last report, and its processor time.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 5;
const MEMORY_INTERVAL_MS = 50;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let peakBytes = 0;
const readMemory = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
};
setInterval(readMemory, MEMORY_INTERVAL_MS).unref();

process.on("message", (question) => {
  if (question !== "figures") return;
  readMemory();
  // A sample is the time between two ticks of the timer; the delay is the excess over the period of the timer.
  const longestDelayMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  const { user, system } = process.cpuUsage();
  process.send?.({ longestDelayMs, peakMemoryMb: peakBytes / 1e6, processorS: (user + system) / 1e6 });
  delay.reset();
  peakBytes = 0;
});
// The channel must not keep the service running.
process.channel?.unref();
