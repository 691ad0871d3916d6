import { and, eq, gt, isNotNull, isNull } from "drizzle-orm";
import { accounts, devices, ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { accountByUsername } from "../accounts/find.js";
import type { Context } from "../change/context.js";
import { matchesSearch } from "../lists/listing.js";
import { PART_ROWS, type Part, partOf } from "../lists/parts.js";

export interface DeviceFilters {
  /** Username of the current owner. */
  owner?: string | undefined;
  retired?: boolean | undefined;
  /** Search terms; each must occur in a name, the serial number or the model. */
  search?: string | undefined;
}

/**
 * Returns a part of the list of devices with their owners for the operator, ordered by id.
 * @throws ServiceError `not_found` when the owner does not exist
 */
export async function listAllDevices(
  { queries }: Context,
  { owner, retired, search }: DeviceFilters,
  after: number,
): Promise<Part<object>> {
  const ownerId = owner === undefined ? undefined : (await accountByUsername(queries, owner)).id;
  const rows = await queries
    .select({ device: devices, owner: accounts.username, since: ownerships.startTime, id: devices.id })
    .from(devices)
    .leftJoin(ownerships, and(eq(ownerships.deviceId, devices.id), eq(ownerships.endTime, CURRENT_END)))
    .leftJoin(accounts, eq(accounts.id, ownerships.managerId))
    .where(
      and(
        gt(devices.id, after),
        ownerId === undefined ? undefined : eq(ownerships.managerId, ownerId),
        retired === undefined
          ? undefined
          : retired
            ? isNotNull(devices.retiredAt)
            : isNull(devices.retiredAt),
        matchesSearch(search, [
          devices.deviceName,
          devices.customName,
          devices.serialNumber,
          devices.deviceType,
        ]),
      ),
    )
    .orderBy(devices.id)
    .limit(PART_ROWS);
  return partOf(rows, (row) => ({
    id: row.device.id,
    serial_number: row.device.serialNumber,
    device_name: row.device.deviceName,
    custom_name: row.device.customName,
    device_type: row.device.deviceType,
    firmware_version: row.device.firmwareVersion,
    owner: row.owner,
    owned_since: row.since?.toISOString() ?? null,
    retired: row.device.retiredAt?.toISOString() ?? null,
  }));
}
