import { ApiError, type Client, type Resource, unwrap } from "asi-client";
import type { DeviceRange } from "../../recording/fetch-range.js";
import { PAGE_ADDRESS } from "../../view/service.js";
import type { Zone } from "../../view/settings.js";
import { nameOfDevice } from "../devices/device-name.js";
import { dayAfter } from "./weeks.js";

export type Device = Resource["Device"];

/** A week is asked for with days around it: a range that goes over its edge would be cut there. */
const AROUND_DAYS = 3;

/**
 * The ranges that begin in the two weeks from `fromMs` on, in the order of time.
 *
 * @throws ApiError, AwayError
 */
export async function rangesOfWeeks(
  client: Client,
  device: Device,
  fromMs: number,
  zone: Zone,
  signal: AbortSignal,
): Promise<DeviceRange[]> {
  const weeks = [fromMs, dayAfter(fromMs, 7, zone)];
  const found = await Promise.all(weeks.map((week) => rangesOfWeek(client, device, week, zone, signal)));
  return found.flat();
}

async function rangesOfWeek(
  client: Client,
  device: Device,
  weekMs: number,
  zone: Zone,
  signal: AbortSignal,
): Promise<DeviceRange[]> {
  const endMs = dayAfter(weekMs, 7, zone);
  const start = new Date(dayAfter(weekMs, -AROUND_DAYS, zone)).toISOString();
  const stop = new Date(dayAfter(endMs, AROUND_DAYS, zone) - 1).toISOString();
  const params = { path: { device: device.id }, query: { start, stop } };
  const ranges: DeviceRange[] = [];
  try {
    const listed = client.list("/api/v1/devices/{device}/preprocessed-data-ranges/", { params, signal });
    for await (const range of listed) {
      const startMs = Date.parse(range.start);
      if (startMs >= weekMs && startMs < endMs) ranges.push(toDeviceRange(device, range));
    }
  } catch (error) {
    // nobody who did not own the device then may see it: for this manager there is nothing
    if (!(error instanceof ApiError && error.code === "permission_denied")) throw error;
  }
  return ranges;
}

const toDeviceRange = (device: Device, { start, stop, size }: Resource["RawDataRange"]): DeviceRange => ({
  serviceAddress: PAGE_ADDRESS,
  device: {
    id: device.id,
    serial: device.serial_number,
    name: nameOfDevice(device),
    type: device.device_type,
  },
  startMs: Date.parse(start),
  stopMs: Date.parse(stop),
  size,
});

/**
 * Time of the newest sample that the manager may see; of a device that he or she no longer owns, the end of the ownership.
 *
 * @returns ms since 1970 UTC; null when there is none
 * @throws ApiError, AwayError
 */
export async function latestOf(
  client: Client,
  { id }: Device,
  isOwned: boolean,
  signal: AbortSignal,
): Promise<number | null> {
  if (isOwned) {
    const params = { path: { device: id }, query: { size: 1 } };
    const path = "/api/v1/devices/{device}/latest-preprocessed-data/";
    const [newest] = await unwrap(client.GET(path, { params, signal }));
    return newest?.["gnss.timestamp"] ?? null;
  }
  let latest: number | null = null;
  const params = { query: { device: String(id) } };
  for await (const { end_time } of client.list("/api/v1/device-ownerships/", { params, signal })) {
    latest = Math.max(latest ?? 0, Date.parse(end_time));
  }
  return latest;
}

export const isSameRange = (a: DeviceRange, b: DeviceRange): boolean =>
  a.device.id === b.device.id && a.startMs === b.startMs;
