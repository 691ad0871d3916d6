import type { Interval } from "./interval.js";
import type { SquadRecording } from "./squad-members.js";

/** Brief losses of satellite signals cause shorter gaps. */
const LEAST_GAP_MS = 2000;

/** Returns the gaps between the first and the last sample of a recording, the longest first. */
function gapsIn({ samples: { timestampMs, length } }: SquadRecording): Interval[] {
  const gaps: Interval[] = [];
  for (let i = 1; i < length; i++) {
    const [before, after] = [timestampMs[i - 1] ?? 0, timestampMs[i] ?? 0];
    if (after - before >= LEAST_GAP_MS) gaps.push({ startMs: before, endMs: after });
  }
  return gaps.sort((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs));
}

const found = new WeakMap<SquadRecording, Interval[]>();

/**
 * Returns the gaps of a recording at its damaged places, the longest first. Other gaps, such as breaks, are excluded. Returns an empty list
 * for an undamaged recording.
 */
export function damageOf(recording: SquadRecording): readonly Interval[] {
  if (!recording.isDamaged) return [];
  const known = found.get(recording);
  if (known !== undefined) return known;
  const gaps = gapsIn(recording).filter(({ startMs, endMs }) =>
    recording.damagedAfterMs.some((ms) => ms >= startMs && ms < endMs),
  );
  found.set(recording, gaps);
  return gaps;
}
