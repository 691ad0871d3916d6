import { eq, sql } from "drizzle-orm";
import { devices } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

export type Device = typeof devices.$inferSelect;

/**
 * Returns the device with this serial number, locked until the end of the transaction.
 * @throws ServiceError `not_found`
 */
export async function findDevice({ queries }: UnitOfWork, serialNumber: string) {
  const [device] = await queries
    .select()
    .from(devices)
    .where(eq(devices.serialNumber, serialNumber))
    .for("update");
  if (device === undefined) throw errors.notFound(`There is no device ${serialNumber}.`);
  return device;
}

/** Updates columns of a device and announces the change. Columns without a value keep theirs. */
export async function updateDevice(
  { queries, announce }: UnitOfWork,
  before: Device,
  values: { [Column in keyof Device]?: Device[Column] | undefined },
): Promise<Device> {
  const [after] = await queries
    .update(devices)
    .set({ ...values, version: sql`${devices.version} + 1` })
    .where(eq(devices.id, before.id))
    .returning();
  if (after === undefined) throw errors.notFound();
  await announce("deviceChanged", { before, after });
  return after;
}
