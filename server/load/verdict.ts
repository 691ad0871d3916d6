import { judge } from "../soak/verdict.js";
import type { MatchDayResult } from "./match-day.js";

/** Targets on a machine with two cores. */
export const TARGETS = { readingP99Ms: 250, peakMemoryMb: 700 };
/**
 * Targets of the short form. It runs on machines with other work, so it allows ten times the duration, and the same
 * memory as the siege.
 */
export const BUSY_TARGETS = { readingP99Ms: 10 * TARGETS.readingP99Ms, peakMemoryMb: 900 };

/** Maximum time of a bare route for a verdict on times: 5 to 10 ms on an idle machine. */
const BARE_P99_MS = 50;

/** Minimum duration. A shorter run ends while the caches still fill. */
const MIN_MINUTES_FOR_GROWTH = 5;

export interface Verdict {
  what: string;
  target: string;
  measured: string;
  held: boolean;
}

/**
 * Compares a run with the targets.
 * @param sparesBusy whether to skip the verdict on times if the bare route is slow
 */
export function verdictsOf(result: MatchDayResult, targets: typeof TARGETS, sparesBusy: boolean): Verdict[] {
  const { tally, observed, seconds, bare } = result;
  const isBusy = sparesBusy && bare.p99Ms > BARE_P99_MS;
  const residentMb = observed.map(({ residentBytes }) => residentBytes / 1e6);
  const peakMb = Math.max(0, ...residentMb);
  const { growing, table } = judge([
    { name: "resident set", kind: "memory", values: observed.map(({ residentBytes }) => residentBytes) },
    { name: "heap", kind: "memory", values: observed.map(({ heapBytes }) => heapBytes) },
  ]);
  const isLong = seconds >= MIN_MINUTES_FOR_GROWTH * 60;
  const { calls, p99Ms } = tally.reading;
  return [
    { what: "wrong answers", target: "0", measured: String(tally.wrong), held: tally.wrong === 0 },
    { what: "errors", target: "0", measured: String(tally.errors), held: tally.errors === 0 },
    {
      what: "p99 of all reads",
      target: `at most ${targets.readingP99Ms} ms`,
      measured: `${p99Ms.toFixed(1)} ms of ${calls}${isBusy ? "; not judged, the machine is too busy" : ""}`,
      held: calls > 0 && (isBusy || p99Ms <= targets.readingP99Ms),
    },
    {
      what: "peak of the resident memory",
      target: `at most ${targets.peakMemoryMb} MB`,
      measured: `${peakMb.toFixed(0)} MB`,
      held: peakMb > 0 && peakMb <= targets.peakMemoryMb,
    },
    ...(isLong
      ? [
          {
            what: "memory is flat: medians of the thirds",
            target: "no growth",
            measured: table.join("; "),
            held: growing.length === 0,
          },
        ]
      : []),
  ];
}
