import type { SampleBatch } from "asi-convert";
import { profileSpeeds, sessionProfile } from "asi-convert/metrics";
import type { FigureSettings, SpeedProfile } from "./recording.js";

/**
 * Returns the acceleration-speed profile of a recording, as in `asi stats --profile`. The profile must match the maximum speed of the
 * athlete, or the maximum speed of the recording if that is unknown.
 */
export function profileOf(
  rows: SampleBatch,
  { preset, params, maxSpeedMPerS }: FigureSettings,
): SpeedProfile {
  const speeds = profileSpeeds([rows], { preset, params });
  const found = sessionProfile(speeds, maxSpeedMPerS ?? undefined);
  return { heldSpeed: speeds.maxSpeed, points: speeds.points, found };
}
