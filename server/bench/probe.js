/**
 * Loaded into the built service before it starts (`node --import`): tells its parent how long the event loop was held
 * and how much memory the process took since the last question.
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
  // A sample is the time between two ticks of the timer; what exceeds the timer's own period is the delay.
  const longestDelayMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  process.send?.({ longestDelayMs, peakMemoryMb: peakBytes / 1e6 });
  delay.reset();
  peakBytes = 0;
});
// The channel alone does not keep the service alive.
process.channel?.unref();
