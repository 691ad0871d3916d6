import { and, eq, inArray, sql } from "drizzle-orm";
import { deleteSamplesBetween, sqlClientOf } from "../../store/samples/index.js";
import { auditLog, devices, ownerships } from "../../store/schema.js";
import { updateDevice } from "../devices/device.js";
import type { UnitOfWork } from "../unit-of-work.js";

/** Earlier than all samples, ms since 1970 UTC. */
const BEGINNING_MS = -8_640_000_000_000_000;

/**
 * Removes a manager from the history of a device, with the samples of the manager's times, which nobody else can read, and
 * the manager's settings of the device. If the manager is its last owner, removes the samples of times without an owner too.
 */
export async function eraseOwnerships(unit: UnitOfWork, deviceId: number, managerId: number): Promise<void> {
  const { queries } = unit;
  const [device] = await queries.select().from(devices).where(eq(devices.id, deviceId)).for("update");
  if (device === undefined) return;
  const history = await queries
    .select()
    .from(ownerships)
    .where(eq(ownerships.deviceId, deviceId))
    .orderBy(ownerships.startTime, ownerships.id);
  const own = history.filter((ownership) => ownership.managerId === managerId);
  const isLast = history.at(-1)?.managerId === managerId;
  const client = sqlClientOf(queries);
  let freeFromMs = BEGINNING_MS;
  for (const { managerId: owner, startTime, endTime } of history) {
    if (isLast) await deleteSamplesBetween(client, deviceId, freeFromMs, startTime.getTime());
    if (owner === managerId) {
      await deleteSamplesBetween(client, deviceId, startTime.getTime(), endTime.getTime());
    }
    freeFromMs = endTime.getTime();
  }
  const ids = own.map(({ id }) => id);
  await unit.announce("ownerErased", { deviceId, ownershipIds: ids, wasLast: isLast });
  if (isLast && device.customName !== null) await updateDevice(unit, device, { customName: null });
  await eraseAudit(unit, deviceId, managerId);
  if (ids.length === 0) return;
  await queries.delete(ownerships).where(inArray(ownerships.id, ids));
  await unit.announce("ownershipsErased", { deviceId, erased: own });
}

/** The manager's settings are in the audit until the next ownership starts: its first rows contain the values before. */
const eraseAudit = ({ queries }: UnitOfWork, deviceId: number, managerId: number) =>
  queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(
      and(
        inArray(auditLog.entity, ["device", "bluetooth"]),
        eq(auditLog.entityId, deviceId),
        sql`EXISTS (
          SELECT 1 FROM ownerships AS owned
          WHERE owned.manager_id = ${managerId} AND owned.device_id = ${deviceId} AND ${auditLog.at} >= owned.start_time
            AND ${auditLog.at} <= coalesce((
              SELECT min(next.start_time) FROM ownerships AS next
              WHERE next.device_id = owned.device_id AND next.start_time >= owned.end_time AND next.manager_id <> owned.manager_id
            ), 'infinity'))`,
      ),
    );
