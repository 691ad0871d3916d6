import type { Client, Resource } from "asi-client";
import type { DeviceRange } from "../../recording/device-range.js";
import { PAGE_ADDRESS } from "../../view/service.js";
import type { Zone } from "../../view/settings.js";
import { isOfAnother } from "../devices/latest.js";
import { deviceName } from "../names.js";
import { dayAfter } from "../parts/days.js";

type Device = Resource["Device"];

/** The request covers days before and after the two weeks, because the service cuts ranges at the edges of a request. */
const AROUND_DAYS = 3;

/**
 * Loads the ranges that begin in the two weeks after `fromMs`, in chronological order.
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
  const found = await Promise.all(
    weeks.map(async (weekMs) => {
      const endMs = dayAfter(weekMs, 7, zone);
      const startMs = dayAfter(weekMs, -AROUND_DAYS, zone);
      const stopMs = dayAfter(endMs, AROUND_DAYS, zone) - 1;
      const ranges = await rangesBetween(client, device, startMs, stopMs, signal);
      return ranges.filter((range) => range.startMs >= weekMs && range.startMs < endMs);
    }),
  );
  return found.flat();
}

/**
 * Loads the ranges of a device between two instants, at most 14 days apart, in chronological order. The list is empty if a different
 * manager owned the device.
 *
 * @throws ApiError, AwayError
 */
export async function rangesBetween(
  client: Client,
  device: Device,
  startMs: number,
  stopMs: number,
  signal: AbortSignal,
): Promise<DeviceRange[]> {
  const query = { start: new Date(startMs).toISOString(), stop: new Date(stopMs).toISOString() };
  const params = { path: { device: device.id }, query };
  const ranges: DeviceRange[] = [];
  try {
    const listed = client.list("/api/v1/devices/{device}/preprocessed-data-ranges/", { params, signal });
    for await (const { start, stop, size } of listed) {
      ranges.push({
        serviceAddress: PAGE_ADDRESS,
        device: {
          id: device.id,
          serial: device.serial_number,
          name: deviceName(device),
          type: device.device_type,
        },
        startMs: Date.parse(start),
        stopMs: Date.parse(stop),
        size,
      });
    }
  } catch (error) {
    if (!isOfAnother(error)) throw error;
  }
  return ranges;
}

export const isSameRange = (a: DeviceRange, b: DeviceRange): boolean =>
  a.device.id === b.device.id && a.startMs === b.startMs;
