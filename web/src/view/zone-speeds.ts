import type { Player, ZoneKind } from "asi-convert/squad";
import type { Settings } from "./settings.js";
import { KM_PER_H } from "./values.js";

/** Speeds of a person, km/h, from which the speed zones derive. */
interface ZoneSpeeds {
  max: number;
  /** The aerobic speed, or null for zones of the maximum speed only. */
  aerobic: number | null;
}

/** The speeds by recording. They are entered in the viewer, or come from a squad with individual limits. */
const zoneSpeeds = new WeakMap<object, ZoneSpeeds>();

/**
 * Sets the zones of the person of a recording.
 * @returns a function that stores the speeds that are set at the time of its call
 */
export function showZonesOf(recording: object, { maxSpeedKmPerH, aerobicSpeedKmPerH }: Settings): () => void {
  const known = zoneSpeeds.get(recording);
  maxSpeedKmPerH.value = known?.max ?? null;
  aerobicSpeedKmPerH.value = known?.aerobic ?? null;
  return () => {
    const max = maxSpeedKmPerH.peek();
    if (max === null) zoneSpeeds.delete(recording);
    else zoneSpeeds.set(recording, { max, aerobic: aerobicSpeedKmPerH.peek() });
  };
}

/** Returns the speeds of the person of all recordings, or null if a recording has none or they differ. */
export function commonZones(recordings: readonly object[]): ZoneSpeeds | null {
  const [first, ...others] = recordings.map((recording) => zoneSpeeds.get(recording));
  const isCommon = others.every((one) => one?.max === first?.max && one?.aerobic === first?.aerobic);
  return isCommon ? (first ?? null) : null;
}

/** Gives a recording the individual limits of a player. It gets none if the limits are fixed, or if the roster lacks the speeds. */
export function setZones(recording: object, kind: ZoneKind | null, player: Player | null): void {
  const max = kmPerH(player?.maxSpeedMPerS);
  const aerobic = kind === "asr" ? kmPerH(player?.aerobicSpeedMPerS) : null;
  if (kind === null || max === null || (kind === "asr" && aerobic === null)) return;
  zoneSpeeds.set(recording, { max, aerobic });
}

/** Removes the digits that the conversion from km/h to m/s and back adds. */
const kmPerH = (mPerS: number | null | undefined) =>
  mPerS == null ? null : Math.round(mPerS * KM_PER_H * 1e6) / 1e6;
