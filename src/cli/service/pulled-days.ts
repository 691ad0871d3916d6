import { createHash } from "node:crypto";
import type { Calendar, Day, Interval } from "./calendar.js";

/** A range of samples in the service. Its gaps are at most 5 minutes long. */
export interface SampleRange extends Interval {
  size: number;
}

/** A day with samples. */
export interface PulledDay extends Day {
  /**
   * Identifies the samples of the day. The service keeps the sample that arrived first for each time, so samples that arrive
   * later or are removed change the number or the ends of a range.
   */
  state: string;
}

/** Returns the days that have samples. A range across midnight is part of the state of both days. */
export function daysWithSamples(calendar: Calendar, ranges: readonly SampleRange[]): PulledDay[] {
  const rangesOf = new Map<number, SampleRange[]>();
  for (const range of ranges) {
    for (const number of calendar.daysOf(range)) {
      const others = rangesOf.get(number);
      if (others === undefined) rangesOf.set(number, [range]);
      else others.push(range);
    }
  }
  return [...rangesOf.keys()]
    .sort((a, b) => a - b)
    .map((number) => {
      const day = calendar.day(number);
      return { ...day, state: stateOf(day, rangesOf.get(number) ?? []) };
    });
}

function stateOf({ fromMs, toMs }: Day, ranges: readonly SampleRange[]): string {
  const content = [fromMs, toMs, ...ranges.flatMap(({ startMs, stopMs, size }) => [startMs, stopMs, size])];
  return createHash("sha256").update(content.join()).digest("base64url").slice(0, 22);
}
