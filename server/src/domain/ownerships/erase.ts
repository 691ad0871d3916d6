import { and, asc, eq, gte, inArray, lt, ne, sql } from "drizzle-orm";
import { deleteSamplesBetween, firstBatch, sqlClientOf } from "../../store/samples/index.js";
import { auditLog, devices, ownerships } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { updateDevice } from "../devices/device.js";
import type { Ownership } from "./rules.js";

/** Limits on one transaction, because other transactions wait for it. */
const OWNERSHIPS_AT_A_TIME = 100;
const CHUNKS_AT_A_TIME = 1_000;
const AUDIT_ROWS_AT_A_TIME = 1_000;

/**
 * Removes some ownerships of a manager from the history of a device, with their samples, which nobody else can read,
 * the manager's recording stream, and the manager's settings of the device. Can be interrupted and called again.
 * @returns whether there is more to
 * remove; if so, call it again in another transaction
 */
export async function eraseOwnerships(
  unit: UnitOfWork,
  deviceId: number,
  managerId: number,
): Promise<boolean> {
  const { queries } = unit;
  const [device] = await queries.select().from(devices).where(eq(devices.id, deviceId)).for("update");
  const run = await firstRun(unit, deviceId, managerId);
  if (device === undefined || run === undefined) return false;
  const { erased, next, nextOwner, isLast } = run;
  const client = sqlClientOf(queries);
  const { startMs, endMs } = run;
  const { toMs } = await firstBatch(client, deviceId, startMs, endMs, CHUNKS_AT_A_TIME);
  await deleteSamplesBetween(client, deviceId, startMs, toMs);
  if (toMs < endMs) return true;
  // The first audit rows of the next ownership contain the settings of this manager as previous values.
  const until = next?.startTime ?? nextOwner?.startTime;
  const eraseAudit = () => eraseAuditBetween(unit, deviceId, new Date(startMs), until);
  if ((await eraseAudit()) === AUDIT_ROWS_AT_A_TIME) return true;
  const ids = erased.map(({ id }) => id);
  await unit.announce("ownerErased", {
    deviceId,
    ownerId: managerId,
    ownershipIds: ids,
    wasLast: isLast,
  });
  if (isLast && device.customName !== null) await updateDevice(unit, device, { customName: null });
  await eraseAudit();
  await queries.delete(ownerships).where(inArray(ownerships.id, ids));
  await unit.announce("ownershipsErased", {
    deviceId,
    erased: ids,
    changed: [{ startMs, stopMs: endMs - 1 }],
  });
  return true;
}

/** Returns the manager's first ownerships of the device up to the next ownership of another manager. */
async function firstRun({ queries }: UnitOfWork, deviceId: number, managerId: number) {
  const ofDevice = eq(ownerships.deviceId, deviceId);
  const own = and(ofDevice, eq(ownerships.managerId, managerId));
  const [first] = await queries
    .select()
    .from(ownerships)
    .where(own)
    .orderBy(asc(ownerships.startTime), asc(ownerships.id))
    .limit(1);
  if (first === undefined) return undefined;
  const [nextOwner] = await queries
    .select()
    .from(ownerships)
    .where(and(ofDevice, ne(ownerships.managerId, managerId), gte(ownerships.startTime, first.endTime)))
    .orderBy(asc(ownerships.startTime), asc(ownerships.id))
    .limit(1);
  const rows: Ownership[] = await queries
    .select()
    .from(ownerships)
    .where(and(own, nextOwner === undefined ? undefined : lt(ownerships.startTime, nextOwner.startTime)))
    .orderBy(asc(ownerships.startTime), asc(ownerships.id))
    .limit(OWNERSHIPS_AT_A_TIME + 1);
  const erased = rows.slice(0, OWNERSHIPS_AT_A_TIME);
  const next = rows[OWNERSHIPS_AT_A_TIME];
  return {
    erased,
    /** The manager's next ownership, when this part does not reach the next owner. */
    next,
    nextOwner,
    isLast: next === undefined && nextOwner === undefined,
    startMs: first.startTime.getTime(),
    endMs: (erased.at(-1) ?? first).endTime.getTime(),
  };
}

/** @returns the number of audit rows whose values were erased, at most `AUDIT_ROWS_AT_A_TIME` */
async function eraseAuditBetween(
  { queries }: UnitOfWork,
  deviceId: number,
  from: Date,
  until: Date | undefined,
): Promise<number> {
  const rows = await queries
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      and(
        inArray(auditLog.entity, ["device", "bluetooth"]),
        eq(auditLog.entityId, deviceId),
        gte(auditLog.at, from),
        until === undefined ? undefined : sql`${auditLog.at} <= ${until}`,
        sql`(before IS NOT NULL OR after IS NOT NULL)`,
      ),
    )
    .limit(AUDIT_ROWS_AT_A_TIME);
  if (rows.length === 0) return 0;
  await queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(
      inArray(
        auditLog.id,
        rows.map(({ id }) => id),
      ),
    );
  return rows.length;
}
