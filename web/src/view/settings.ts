import { type Signal, signal } from "@preact/signals";
import type { ParameterOverrides } from "asi-convert/metrics";
import { remembered, rememberedText } from "./remembered.js";
import { followedTheme, type ThemeChoice } from "./theme.js";
import { KM_PER_H, type SpeedUnit } from "./values.js";

/** The time zone of displayed times. */
export type Zone = "local" | "utc";

/** Sets of thresholds for figures. The names are those of the library. */
export const PRESETS = [
  ["soccer", "Football"],
  ["soccer-women", "Football, women"],
  ["soccer-fifa", "Football, FIFA bands"],
  ["running", "Running"],
  ["trailrunning", "Trail running"],
  ["biking", "Cycling"],
  ["swimming", "Swimming"],
  ["triathlon", "Triathlon"],
] as const;
export type Preset = (typeof PRESETS)[number][0];

/** Values of a person, which are entered in the viewer or come from a squad. They are not stored. */
export interface Athlete {
  /** Maximum heart rate, beats per minute, or null if it is unknown. */
  maxHeartRate: Signal<number | null>;
  /** Confirmed maximum speed, for zones of a person, or null for the fixed zones of the sport. */
  maxSpeedKmPerH: Signal<number | null>;
  /** Aerobic speed, for zones of both speeds, or null for zones of the maximum speed only. */
  aerobicSpeedKmPerH: Signal<number | null>;
  /**
   * Returns the parameters that replace those of a sport: in a report file those from the command, only for its own sport, and for a player of a
   * squad those of the roster.
   */
  params?: (preset: Preset) => ParameterOverrides | undefined;
}

/** Persons by recording. */
const athletes = new WeakMap<object, Athlete>();

export const newAthlete = (): Athlete => ({
  maxHeartRate: signal(null),
  maxSpeedKmPerH: signal(null),
  aerobicSpeedKmPerH: signal(null),
});

/** Returns the person of a recording. */
export function athleteOf(recording: object): Athlete {
  const athlete = athletes.get(recording) ?? newAthlete();
  athletes.set(recording, athlete);
  return athlete;
}

/** The settings of the page. The viewer has those of its athlete. */
export interface Settings extends Athlete {
  theme: Signal<ThemeChoice>;
  zone: Signal<Zone>;
  speedUnit: Signal<SpeedUnit>;
  preset: Signal<Preset>;
  /** Whether the outline of a pitch is drawn on the map. */
  pitch: Signal<"on" | "off">;
  /** Address of map tiles with `{z}`, `{x}` and `{y}`, or an empty text if there is none. */
  tiles: Signal<string>;
}

/** Returns the settings that affect figures. */
export function figureSettings({
  preset,
  params,
  maxHeartRate,
  maxSpeedKmPerH,
  aerobicSpeedKmPerH,
}: Settings): {
  preset: Preset;
  params: ParameterOverrides | undefined;
  maxHeartRate: number | null;
  maxSpeedMPerS: number | null;
  aerobicSpeedMPerS: number | null;
} {
  return {
    preset: preset.peek(),
    params: params?.(preset.peek()),
    maxHeartRate: maxHeartRate.peek(),
    maxSpeedMPerS: inMPerS(maxSpeedKmPerH.peek()),
    aerobicSpeedMPerS: inMPerS(aerobicSpeedKmPerH.peek()),
  };
}

const inMPerS = (kmPerH: number | null) => (kmPerH === null ? null : kmPerH / KM_PER_H);

/** Returns the settings, which this browser stores. */
export function rememberedSettings(): Settings {
  return {
    theme: followedTheme(),
    zone: remembered("asi-zone", ["local", "utc"], "local"),
    speedUnit: remembered("asi-speed-unit", ["km/h", "m/s"], "km/h"),
    preset: remembered(
      "asi-preset",
      PRESETS.map(([name]) => name),
      "soccer",
    ),
    ...newAthlete(),
    pitch: remembered("asi-pitch", ["on", "off"], "off"),
    tiles: rememberedText("asi-tiles"),
  };
}
