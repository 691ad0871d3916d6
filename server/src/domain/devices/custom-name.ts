import { eq, sql } from "drizzle-orm";
import { devices } from "../../store/schema.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { deviceItem } from "./list.js";
import type { Device } from "./rules.js";

/** Changes columns of a device, with its audit row. */
export async function updateDevice(
  { queries, audit }: UnitOfWork,
  before: Device,
  values: Partial<typeof devices.$inferInsert>,
): Promise<Device> {
  const [after] = await queries
    .update(devices)
    .set({ ...values, version: sql`${devices.version} + 1` })
    .where(eq(devices.id, before.id))
    .returning();
  if (after === undefined) throw errors.notFound();
  await audit("device", before.id, before, after);
  return after;
}

/** @param name null or empty clears the name */
export async function setCustomName(ctx: Context, device: number, name: string | null) {
  return change(ctx, "setCustomName", { device }, async (unit, owned) =>
    deviceItem({ ...owned, device: await updateDevice(unit, owned.device, { customName: name || null }) }),
  );
}
