import type { Interval } from "asi-convert/squad";
import type { OpenRecording } from "../recording/squad/squad-recording.js";

/** Shorter ones are caused by brief losses of satellite signals. */
const LEAST_GAP_MS = 2000;

/** Gaps between the first and the last sample of a recording, the longest first. */
export function gapsIn({ samples: { timestampMs, length } }: OpenRecording): Interval[] {
  const gaps: Interval[] = [];
  for (let i = 1; i < length; i++) {
    const [before, after] = [timestampMs[i - 1] ?? 0, timestampMs[i] ?? 0];
    if (after - before >= LEAST_GAP_MS) gaps.push({ startMs: before, endMs: after });
  }
  return gaps.sort((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs));
}

const found = new WeakMap<object, Interval[]>();

/** The gaps of a recording at its damaged places, without other gaps such as breaks. Empty for an undamaged one. */
export function damageOf(recording: OpenRecording): readonly Interval[] {
  if (!recording.isDamaged) return [];
  const known = found.get(recording.samples);
  if (known !== undefined) return known;
  const gaps = gapsIn(recording).filter(({ startMs, endMs }) =>
    recording.damagedAfterMs.some(
      (ms) => ms + recording.shiftMs >= startMs && ms + recording.shiftMs < endMs,
    ),
  );
  found.set(recording.samples, gaps);
  return gaps;
}
