/** State of the service as its metrics report it. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Observed {
  /** Resident memory and heap, bytes. */
  residentBytes: number;
  heapBytes: number;
  /** Delay of the event loop since the previous observation. */
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  /** Processor time since the start, s. */
  processorS: number;
}

/** The metrics include the period of the timer that collects them. */
const LOOP_RESOLUTION_MS = 10;

const NAMES = {
  residentBytes: "process_resident_memory_bytes",
  heapBytes: "nodejs_heap_size_used_bytes",
  loopDelayP99Ms: "nodejs_eventloop_lag_p99_seconds",
  loopDelayMaxMs: "nodejs_eventloop_lag_max_seconds",
  processorS: "process_cpu_seconds_total",
} as const;

/** Reads values from the text format of Prometheus. @throws Error if one is missing */
export function observedIn(text: string): Observed {
  const read = (name: string) => {
    const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
    if (value === undefined) throw new Error(`The metrics have no ${name}`);
    return Number(value);
  };
  const delayMs = (name: string) => Math.max(0, read(name) * 1000 - LOOP_RESOLUTION_MS);
  return {
    residentBytes: read(NAMES.residentBytes),
    heapBytes: read(NAMES.heapBytes),
    loopDelayP99Ms: delayMs(NAMES.loopDelayP99Ms),
    loopDelayMaxMs: delayMs(NAMES.loopDelayMaxMs),
    processorS: read(NAMES.processorS),
  };
}

export async function observe(metricsUrl: string): Promise<Observed> {
  const response = await fetch(`${metricsUrl}/metrics`);
  return observedIn(await response.text());
}

/** Observes the service at regular intervals until the given time by `performance.now()`. */
export async function observeUntil(
  metricsUrl: string,
  everyMs: number,
  untilMs: number,
  tell: (observed: Observed) => void,
): Promise<Observed[]> {
  const all: Observed[] = [];
  // The first observation starts the intervals of the event-loop delays.
  await observe(metricsUrl);
  while (performance.now() + everyMs <= untilMs) {
    await sleep(everyMs);
    const observed = await observe(metricsUrl);
    all.push(observed);
    tell(observed);
  }
  return all;
}
