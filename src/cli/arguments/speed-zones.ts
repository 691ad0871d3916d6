import { InvalidArgumentError } from "commander";
import { KM_PER_H } from "../../metrics/rounding.js";

/** The unit in which the user gives speeds. */
export type SpeedUnit = "km/h" | "m/s";

/** Speed zones in the unit of the user. */
export interface SpeedZones {
  unit: SpeedUnit;
  /** Lower limits in m/s, ascending from 0. */
  limits: number[];
}

/** Parses `7,15,20,25km/h` or `2,4,5.5,7 m/s`. A first limit of 0 may be omitted; the unit may not. */
export function parseSpeedZones(text: string): SpeedZones {
  const [, list = "", unit] = /^\s*([\d\s.,]*?)\s*(km\/h|m\/s)\s*$/.exec(text) ?? [];
  const limits = list.split(",").map((limit) => (limit.trim() === "" ? Number.NaN : Number(limit)));
  if ((unit !== "km/h" && unit !== "m/s") || limits.some(Number.isNaN)) {
    throw new InvalidArgumentError(
      "Give the limits between the zones and their unit, km/h or m/s, such as 7,15,20,25km/h.",
    );
  }
  const inMetres = limits.map((limit) => (unit === "km/h" ? limit / KM_PER_H : limit));
  return { unit, limits: inMetres[0] === 0 ? inMetres : [0, ...inMetres] };
}

/**
 * Parses `19.8km/h` or `5.5 m/s`.
 * @returns m/s
 */
export function parseSpeed(text: string): number {
  const [, value, unit] = /^(\d+(?:\.\d+)?)\s*(km\/h|m\/s)$/.exec(text.trim()) ?? [];
  if (value === undefined)
    throw new InvalidArgumentError("Give a speed with its unit, such as 19.8km/h or 5.5m/s.");
  return unit === "m/s" ? Number(value) : Number(value) / KM_PER_H;
}

/** Formats a speed in m/s as a number in the given unit: `25.2`, `7`. */
export function speedIn(unit: SpeedUnit, metresPerSecond: number): string {
  const value = unit === "km/h" ? metresPerSecond * KM_PER_H : metresPerSecond;
  // limits are rounded to mm/s, and 7 km/h must not become 6.998
  return String(Number(value.toFixed(unit === "km/h" ? 1 : 3)));
}
