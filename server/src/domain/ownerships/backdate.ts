import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import { deleteSamplesBetween, sqlClientOf } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";
import { isStorable } from "../../wire/date-time.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { findDevice } from "../devices/device.js";

/**
 * Moves the start of the last ownership of a device back into a period in which the device had no owner. The ownership
 * gains no samples.
 */
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
        `The ownership already begins at ${last.startTime.toISOString()}.`,
      );
    }
    const [other] = await queries
      .select()
      .from(ownerships)
      .where(
        and(eq(ownerships.deviceId, device.id), ne(ownerships.id, last.id), gt(ownerships.endTime, start)),
      )
      .orderBy(desc(ownerships.startTime))
      .limit(1);
    if (other !== undefined) {
      throw errors.conflict(
        "owned",
        `The device was owned from ${other.startTime.toISOString()} to ${other.endTime.toISOString()}.`,
      );
    }
    // Samples recorded while the device had no owner are not stored. Delete any that exist, because
    // they do not belong to the owner.
    await deleteSamplesBetween(sqlClientOf(queries), device.id, start.getTime(), last.startTime.getTime());
    const [after] = await queries
      .update(ownerships)
      .set({ startTime: start, version: sql`${ownerships.version} + 1` })
      .where(eq(ownerships.id, last.id))
      .returning();
    if (after === undefined) throw new Error("The ownership was not changed");
    await unit.announce("ownershipChanged", { before: last, after });
    return { device, ownership: after };
  });
}
