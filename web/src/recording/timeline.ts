import type { TimeWindow } from "../view/window.js";
import { nameWithoutExtension } from "./file-name.js";
import type { Recording } from "./recording.js";

/** How several recordings lie on one time axis: by the clock, or each from its first row. */
export type Clock = "clock" | "start";

/** Time on the axis minus time of the recording, ms. */
export function offsetOf({ startMs }: Recording, clock: Clock): number {
  return clock === "clock" ? 0 : -startMs;
}

/** The part of the axis that the recordings take. */
export function wholeOf(recordings: readonly Recording[], clock: Clock): TimeWindow {
  let whole: TimeWindow = { startMs: Number.POSITIVE_INFINITY, stopMs: Number.NEGATIVE_INFINITY };
  for (const recording of recordings) {
    const offset = offsetOf(recording, clock);
    whole = {
      startMs: Math.min(whole.startMs, recording.startMs + offset),
      stopMs: Math.max(whole.stopMs, recording.stopMs + offset),
    };
  }
  // an axis needs a length, and a single row has none
  if (whole.stopMs - whole.startMs < 1000) whole.stopMs = whole.startMs + 1000;
  return whole;
}

/** The part of the axis that is shown, on the clock of a recording. */
export function ownWindow(shown: TimeWindow, offsetMs: number): TimeWindow {
  return { startMs: shown.startMs - offsetMs, stopMs: shown.stopMs - offsetMs };
}

/** Whether all recordings together cover one stretch, so that it makes sense to see them on one clock. */
export function overlap(recordings: readonly Recording[]): boolean {
  const latestStart = Math.max(...recordings.map(({ startMs }) => startMs));
  const earliestStop = Math.min(...recordings.map(({ stopMs }) => stopMs));
  return latestStart < earliestStop;
}

/** What a recording is called among others. */
export function titleOf({ facts: { info, fileName } }: Recording): string {
  return info?.deviceName || info?.serial || nameWithoutExtension(fileName);
}
