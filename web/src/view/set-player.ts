import type { ParameterOverrides } from "asi-convert/metrics";
import type { Player, ZoneKind } from "asi-convert/squad";
import { athleteOf } from "./settings.js";
import { KM_PER_H } from "./values.js";

/**
 * Gives a recording the values of a player. It gets no individual limits if the limits are fixed, or if the roster lacks the speeds.
 * @param own the player's parameters, which replace those of the squad
 */
export function setPlayer(
  recording: object,
  player: Player | null,
  zones: ZoneKind | null,
  { max_hr, ...own }: ParameterOverrides,
): void {
  const athlete = athleteOf(recording);
  athlete.params = () => own;
  athlete.maxHeartRate.value = max_hr ?? null;
  const max = kmPerH(player?.maxSpeedMPerS);
  const aerobic = zones === "asr" ? kmPerH(player?.aerobicSpeedMPerS) : null;
  if (zones === null || max === null || (zones === "asr" && aerobic === null)) return;
  athlete.maxSpeedKmPerH.value = max;
  athlete.aerobicSpeedKmPerH.value = aerobic;
}

/** Removes the digits that the conversion from km/h to m/s and back adds. */
const kmPerH = (mPerS: number | null | undefined) =>
  mPerS == null ? null : Math.round(mPerS * KM_PER_H * 1e6) / 1e6;
