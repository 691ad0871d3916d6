import { gapsAfter } from "asi-convert/metrics";
import type { Series } from "../../plots/pyramid.js";
import type { SquadPlayer } from "../squad-session.js";

/** Returns the speeds of a player in all recordings, in sequence, mm/s. */
export function speedSeries({ recordings }: SquadPlayer): Series {
  const byTime = recordings.toSorted((a, b) => a.startMs - b.startMs);
  const length = byTime.reduce((sum, { samples }) => sum + samples.length, 0);
  const timesMs = new Float64Array(length);
  const values = new Int32Array(length);
  let at = 0;
  for (const { samples } of byTime) {
    timesMs.set(samples.timestampMs.subarray(0, samples.length), at);
    for (let i = 0; i < samples.length; i++) values[at + i] = samples.speedMmPerS[i] ?? 0;
    at += samples.length;
  }
  return { timesMs, values, gapsAfter: new Set(gapsAfter(timesMs)) };
}
