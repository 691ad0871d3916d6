/** Reads the resident memory of a process, which only Linux reports. */
import { readFileSync, writeFileSync } from "node:fs";

/** @returns current or highest resident memory, MB; NaN if the system does not report it */
export function residentMb(pid: number | undefined, which: "current" | "peak"): number {
  const field = which === "peak" ? "VmHWM" : "VmRSS";
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024) / 1e6;
  } catch {
    return Number.NaN;
  }
}

/** Resets the peak to the current memory. */
export function resetPeak(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // The peak then includes the time since the start of the process, so it may be too high, but never too low.
  }
}
