import type { Resource } from "asi-client";
import { athleteName, deviceWithSerial } from "../names.js";

/** Returns the name of a time frame, or an empty text if there is none. It is `name` of the parameters, which the computation ignores. */
export function frameName({ params }: Pick<Resource["Timeframe"], "params">): string {
  return typeof params.name === "string" ? params.name : "";
}

/** Returns the name of the athlete of a time frame, or only the number if the manager may not read the athlete. */
export const athleteOf = ({ athlete, athlete_details }: Resource["Timeframe"]): string =>
  athlete_details == null ? `Athlete ${athlete}` : athleteName(athlete_details);

export const deviceOf = ({ device, device_details }: Resource["Timeframe"]): string =>
  device_details === undefined ? `Device ${device}` : deviceWithSerial(device_details);

/** The names of the sports. */
export const SPORTS: Record<string, string> = {
  biking: "Cycling",
  running: "Running",
  soccer: "Football",
  swimming: "Swimming",
  trailrunning: "Trail running",
  triathlon: "Triathlon",
};

export const sportName = (sport: unknown): string =>
  typeof sport === "string" ? (SPORTS[sport.toLowerCase()] ?? sport) : "";
