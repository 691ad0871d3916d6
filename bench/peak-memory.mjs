// Loaded into a process with `node --import`: when it exits, its peak resident memory in KiB goes to descriptor 3.
// On Linux from VmHWM: `ru_maxrss` also counts the process that started this one, before it became node.
import { readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

function peakKib() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

if (isMainThread) process.on("exit", () => writeSync(3, String(peakKib())));
