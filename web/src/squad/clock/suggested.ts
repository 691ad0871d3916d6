import { nameKey, type SessionPeriod, type SuggestedPeriod, suggestPeriods } from "asi-convert/squad";
import type { SquadPlayer } from "../squad-session.js";
import { extentOf } from "./period-lanes.js";

/** Periods suggested by common pauses of the players. */
export function suggestedOf(players: readonly SquadPlayer[]): readonly SuggestedPeriod[] {
  return suggestPeriods(players.filter(({ recordings }) => recordings.length > 0).map(speedsOf));
}

/** The speeds of a player, also with two trackers. */
function speedsOf({ recordings }: SquadPlayer) {
  const [first, ...others] = recordings
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ samples }) => samples);
  if (first === undefined)
    return { length: 0, timestampMs: new Float64Array(), speedMmPerS: new Int32Array() };
  if (others.length === 0) return first;
  const all = [first, ...others];
  const length = all.reduce((sum, samples) => sum + samples.length, 0);
  const joined = { length, timestampMs: new Float64Array(length), speedMmPerS: new Int32Array(length) };
  let at = 0;
  for (const { timestampMs, speedMmPerS, length: own } of all) {
    joined.timestampMs.set(timestampMs, at);
    joined.speedMmPerS.set(speedMmPerS, at);
    at += own;
  }
  return joined;
}

/** A suggested period exists already if a period has its name, or overlaps with this share of both durations. */
const SAME_SHARE = 0.5;

export function missingIn(
  periods: readonly SessionPeriod[],
  suggested: readonly SuggestedPeriod[],
): readonly SuggestedPeriod[] {
  const isThere = (one: SuggestedPeriod) =>
    periods.some((period) => {
      if (nameKey(period.name) === nameKey(one.name)) return true;
      const extent = extentOf(period);
      if (extent === null) return false;
      const sharedMs = Math.min(extent.endMs, one.endMs) - Math.max(extent.startMs, one.startMs);
      return sharedMs >= SAME_SHARE * Math.max(extent.endMs - extent.startMs, one.endMs - one.startMs);
    });
  return suggested.filter((one) => !isThere(one));
}
