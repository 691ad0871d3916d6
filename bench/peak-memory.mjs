// Loaded into a process with `node --import`. When the process exits, it writes its peak resident memory in KiB to
// descriptor 3. On Linux, it reads VmHWM, because `ru_maxrss` includes the parent process from before the exec.
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
