import { and, eq, gt, ne, sql } from "drizzle-orm";
import { devices, ownerships } from "../../store/schema.js";
import { isStorable } from "../../wire/date-time.js";
import { transact } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import type { UnitOfWork } from "../unit-of-work.js";

export interface NewDevice {
  serialNumber: string;
  deviceName: string;
  deviceType: string;
}

/** What a recording's header may carry as serial number, since file names are made of it. */
const SERIAL_NUMBER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,149}$/;

/** Adds devices: all of them, or none when one is in fault. */
export async function addDevices(ctx: Context, added: readonly NewDevice[]) {
  return transact(ctx, "device add", async (unit) => {
    const rows = [];
    for (const device of added) rows.push(await addDevice(unit, device));
    return rows;
  });
}

async function addDevice({ queries, now, audit }: UnitOfWork, device: NewDevice) {
  if (!SERIAL_NUMBER.test(device.serialNumber)) {
    throw errors.field(
      "serial_number",
      `"${device.serialNumber}": letters, digits, . _ - only, not beginning with . or -`,
    );
  }
  if (device.deviceName === "") {
    throw errors.field("device_name", `The device ${device.serialNumber} has no name.`);
  }
  const [row] = await queries
    .insert(devices)
    .values({ ...device, createdAt: now })
    .onConflictDoNothing()
    .returning();
  if (row === undefined)
    throw errors.field("serial_number", `There is already a device ${device.serialNumber}.`);
  await audit("device", row.id, null, row);
  return row;
}

/** The device with this serial number. */
export async function findDevice({ queries }: Pick<UnitOfWork, "queries">, serialNumber: string) {
  const [device] = await queries
    .select()
    .from(devices)
    .where(eq(devices.serialNumber, serialNumber))
    .for("update");
  if (device === undefined) throw errors.notFound(`There is no device ${serialNumber}.`);
  return device;
}

/** Extends the last ownership of a device backwards, over time in which no one owned it. */
export async function backdateOwnership(ctx: Context, serialNumber: string, start: Date) {
  if (!isStorable(start.getTime()))
    throw errors.field("start", "Expected a date-time such as 2024-01-01T06:00:00Z.");
  return transact(ctx, "ownership backdate", async (unit) => {
    const { queries } = unit;
    const device = await findDevice(unit, serialNumber);
    const [last] = await queries
      .select()
      .from(ownerships)
      .where(eq(ownerships.deviceId, device.id))
      .orderBy(sql`${ownerships.startTime} DESC, ${ownerships.id} DESC`)
      .limit(1);
    if (last === undefined) throw errors.conflict("device_not_activated", "The device has never been owned.");
    if (start >= last.startTime) {
      throw errors.conflict(
        "not_backwards",
        `The ownership begins at ${last.startTime.toISOString()} already.`,
      );
    }
    const [other] = await queries
      .select()
      .from(ownerships)
      .where(
        and(
          eq(ownerships.deviceId, device.id),
          ne(ownerships.id, last.id),
          // One without length counts too: its owner may have loaded what was recorded before it.
          gt(ownerships.endTime, start),
        ),
      );
    if (other !== undefined) {
      throw errors.conflict(
        "owned",
        `The device was owned from ${other.startTime.toISOString()} to ${other.endTime.toISOString()}.`,
      );
    }
    const [after] = await queries
      .update(ownerships)
      .set({ startTime: start, version: sql`${ownerships.version} + 1` })
      .where(eq(ownerships.id, last.id))
      .returning();
    await unit.audit("ownership", last.id, last, after ?? null);
    const gained = { startMs: start.getTime(), stopMs: last.startTime.getTime() };
    await unit.announce("ownershipChanged", { deviceId: device.id, changed: [gained] });
    return { device, ownership: after ?? last };
  });
}
