import type { DeviceRange } from "../../recording/device-range.js";
import type { TimeWindow } from "../../view/window.js";

/** A range in the address of the page. */
export interface AddressedRange {
  deviceId: number;
  window: TimeWindow;
}

/** The separator between the devices in an address of several ranges. */
const COMPARE = "compare";

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the address of ranges, for bookmarks. It contains device numbers and times. */
export function addressOf(ranges: readonly DeviceRange[]): string {
  const [first] = ranges;
  if (first !== undefined && ranges.length === 1)
    return `#/recordings/${first.device.id}?from=${iso(first.startMs)}&to=${iso(first.stopMs)}`;
  const fields = ranges.map(
    ({ device, startMs, stopMs }) => `range=${device.id},${iso(startMs)},${iso(stopMs)}`,
  );
  return `#/recordings/${COMPARE}?${fields.join("&")}`;
}

/** Returns the ranges in an address from `addressOf`. The list is empty for the address of a calendar. Invalid parts are ignored. */
export function addressedRanges(
  [device = ""]: readonly string[],
  query: URLSearchParams,
): readonly AddressedRange[] {
  const named =
    device === COMPARE
      ? query.getAll("range").map((text) => text.split(","))
      : [[device, query.get("from") ?? "", query.get("to") ?? ""]];
  return named.flatMap(([id = "", from = "", to = ""]) => {
    const window = { startMs: Date.parse(from), stopMs: Date.parse(to) };
    return /^\d+$/.test(id) && window.startMs <= window.stopMs ? { deviceId: Number(id), window } : [];
  });
}

/** Returns the number of the device in an address, as text, or undefined if there is none. */
export function addressedDevice(params: readonly string[], query: URLSearchParams): string | undefined {
  const [device] = params;
  if (device !== COMPARE) return device;
  return addressedRanges(params, query)[0]?.deviceId.toString();
}
