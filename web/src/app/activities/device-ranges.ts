import { ApiError, type Client, unwrap } from "asi-client";
import type { Zone } from "../../view/settings.js";
import type { TimeWindow } from "../../view/window.js";
import { dayAfter } from "../recordings/weeks.js";

const DAY_MS = 86_400_000;

/** A stretch of data without a gap of more than 5 minutes. */
export interface DataRange extends TimeWindow {
  samples: number;
}

export interface RangesAround {
  /** Of the day. */
  ofDay: readonly DataRange[];
  /** Starts of ranges on other days of the same fortnight, one for each day. */
  otherDays: readonly number[];
}

/** The API gives at most 14 days at a time. */
const BEFORE_MS = 7 * DAY_MS;
const FORTNIGHT_MS = 14 * DAY_MS;

/** The ranges of a device on a day, and days around it that have data. @throws ApiError */
export async function loadRanges(
  client: Client,
  device: number,
  dayMs: number,
  zone: Zone,
  signal: AbortSignal,
): Promise<RangesAround> {
  const start = dayMs - BEFORE_MS;
  const query = {
    start: new Date(start).toISOString(),
    stop: new Date(start + FORTNIGHT_MS).toISOString(),
    limit: 3000,
  };
  const params = { path: { device }, query };
  const results = await unwrap(
    client.GET("/api/v1/devices/{device}/preprocessed-data-ranges/", { params, signal }),
  ).then(
    (page) => page.results,
    (error: unknown) => {
      // nobody who did not own the device then may see it: for this manager there is nothing
      if (error instanceof ApiError && error.code === "permission_denied") return [];
      throw error;
    },
  );
  const ranges = results.map((range) => ({
    startMs: Date.parse(range.start),
    stopMs: Date.parse(range.stop),
    samples: range.size,
  }));
  const end = dayAfter(dayMs, 1, zone);
  const isOfDay = ({ startMs, stopMs }: TimeWindow) => startMs < end && stopMs >= dayMs;
  const days = new Map<number, number>();
  for (const range of ranges) {
    const offset = Math.floor((range.startMs - dayMs) / DAY_MS);
    if (!isOfDay(range) && !days.has(offset)) days.set(offset, range.startMs);
  }
  return { ofDay: ranges.filter(isOfDay), otherDays: [...days.values()] };
}

/** When the device has last recorded; null where nothing is known, as of a device that was given away. */
export async function loadLatest(
  client: Client,
  device: number,
  signal: AbortSignal,
): Promise<number | null> {
  const { data } = await client.GET("/api/v1/devices/{device}/latest-timestamp/", {
    params: { path: { device } },
    signal,
  });
  return data?.timestamp ?? null;
}
