import { isRecord } from "../../arguments.js";
import { UsageError } from "../terminal/usage-error.js";
import type { Interval } from "./calendar.js";
import type { ServiceClient } from "./client.js";
import type { SampleRange } from "./pulled-days.js";
import { serviceError } from "./refusals.js";

/** A device that the account owns or has owned. */
export interface OwnDevice {
  id: number;
  serial: string;
  /** The intervals during which the account owned it. */
  owned: Interval[];
}

const MAX_RESULTS = 3000;

/** Returns the id of the account to which the token belongs. */
export async function accountOf(client: ServiceClient): Promise<number> {
  const { id } = await client.object("api/v1/account/");
  if (typeof id === "number") return id;
  throw serviceError("NOT_A_SERVICE", "The account in the service's response has no id.");
}

/** Lists the devices of the account, sorted by serial number. Only the list of ownerships shows the periods without samples. */
export async function listDevices(client: ServiceClient): Promise<OwnDevice[]> {
  const devices = new Map<number, OwnDevice>();
  for await (const ownership of client.list("api/v1/device-ownerships/", { limit: MAX_RESULTS })) {
    const { device, device_details: details, start_time: start, end_time: end } = ownership;
    const id = Number(device);
    const serial = isRecord(details) ? String(details.serial_number) : "";
    const owned = { startMs: Date.parse(String(start)), stopMs: Date.parse(String(end)) };
    const known = devices.get(id);
    if (known === undefined) devices.set(id, { id, serial, owned: [owned] });
    else known.owned.push(owned);
  }
  return [...devices.values()].sort((a, b) => (a.serial < b.serial ? -1 : 1));
}

/**
 * Selects the devices with these serial numbers or ids.
 *
 * @param wanted undefined for all devices
 * @throws UsageError for a device that the account does not have
 */
export function selectDevices(
  devices: readonly OwnDevice[],
  wanted: readonly string[] | undefined,
): OwnDevice[] {
  if (wanted === undefined) return [...devices];
  const chosen = wanted.map((text) => {
    const device =
      devices.find(({ serial }) => serial === text) ?? devices.find(({ id }) => String(id) === text);
    if (device !== undefined) return device;
    throw new UsageError(`The account has no device ${JSON.stringify(text)}. It has ${namesOf(devices)}.`);
  });
  return [...new Set(chosen)];
}

const MAX_NAMES = 20;

function namesOf(devices: readonly OwnDevice[]): string {
  if (devices.length === 0) return "none";
  const names = devices.slice(0, MAX_NAMES).map(({ serial }) => serial);
  const others = devices.length - names.length;
  return names.join(", ") + (others === 0 ? "" : ` and ${others} more`);
}

/** Lists the ranges of a device's samples within at most 14 days. */
export async function listRanges(
  client: ServiceClient,
  { id }: OwnDevice,
  { startMs, stopMs }: Interval,
): Promise<SampleRange[]> {
  const ranges: SampleRange[] = [];
  const query = { start: startMs, stop: stopMs, limit: MAX_RESULTS };
  for await (const { start, stop, size } of client.list(
    `api/v1/devices/${id}/preprocessed-data-ranges/`,
    query,
  )) {
    const range = {
      startMs: Date.parse(String(start)),
      stopMs: Date.parse(String(stop)),
      size: Number(size),
    };
    // other ranges could have millions of days
    if (!(startMs <= range.startMs && range.startMs <= range.stopMs && range.stopMs <= stopMs))
      throw serviceError(
        "NOT_A_SERVICE",
        `The service lists samples from ${start} to ${stop}, outside the requested time.`,
      );
    ranges.push(range);
  }
  return ranges;
}
