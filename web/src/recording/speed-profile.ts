import type { SampleBatch } from "asi-convert";
import { accelerationSpeedProfile, profileSpeeds } from "asi-convert/metrics";
import type { FigureSettings, SpeedProfile } from "./recording.js";

/** Limits of the maximum speed of a profile, m/s. */
const LEAST_MAX_SPEED = 1;
const MOST_MAX_SPEED = 20;

/**
 * The acceleration-speed profile of a recording, as `asi stats --profile`. It must match the maximum speed of the athlete, or without
 * one the maximum speed of the recording.
 */
export function profileOf(rows: SampleBatch, { preset, maxSpeedMPerS }: FigureSettings): SpeedProfile {
  const { maxSpeed: heldSpeed, points } = profileSpeeds([rows], { preset });
  const maxSpeed = heldSpeed === null ? null : (maxSpeedMPerS ?? heldSpeed);
  // a walk has no profile
  const found =
    maxSpeed === null || maxSpeed < LEAST_MAX_SPEED
      ? null
      : accelerationSpeedProfile([rows], { preset, maxSpeed: Math.min(maxSpeed, MOST_MAX_SPEED) });
  return { heldSpeed, points, found };
}
