import type { Client, Resource } from "asi-client";
import type { DeviceRange } from "../../recording/device-range.js";
import type { Zone } from "../../view/settings.js";
import { aroundDay, dayAfter } from "../parts/days.js";
import { rangesBetween } from "../recordings/ranges.js";

export interface RangesAround {
  /** The ranges of the day. */
  ofDay: readonly DeviceRange[];
  /** Starts of ranges on other days of the same two weeks, one for each day. */
  otherDays: readonly number[];
}

const AROUND_DAYS = 7;
/** The API returns at most 14 days per request. Two weeks are an hour longer when clocks are set back. */
const MOST_MS = 14 * 86_400_000;

/** Loads the ranges of a device on a day, and nearby days that have data. @throws ApiError, AwayError */
export async function loadRanges(
  client: Client,
  device: Resource["Device"],
  dayMs: number,
  zone: Zone,
  signal: AbortSignal,
): Promise<RangesAround> {
  const startMs = dayAfter(dayMs, -AROUND_DAYS, zone);
  const stopMs = Math.min(dayAfter(dayMs, AROUND_DAYS, zone), startMs + MOST_MS);
  return aroundDay(await rangesBetween(client, device, startMs, stopMs, signal), dayMs, zone);
}
