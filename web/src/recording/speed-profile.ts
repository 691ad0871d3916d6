import type { SampleBatch } from "asi-convert";
import { profileSpeeds, sessionProfile } from "asi-convert/metrics";
import type { FigureSettings, SpeedProfile } from "./recording.js";

/**
 * The acceleration-speed profile of a recording, as `asi stats --profile`. It must match the maximum speed of the athlete, or without
 * one the maximum speed of the recording.
 */
export function profileOf(rows: SampleBatch, { preset, maxSpeedMPerS }: FigureSettings): SpeedProfile {
  const speeds = profileSpeeds([rows], { preset });
  const found = sessionProfile(speeds, maxSpeedMPerS ?? undefined);
  return { heldSpeed: speeds.maxSpeed, points: speeds.points, found };
}
