import { and, eq, ne, sql } from "drizzle-orm";
import { assignments } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { lockAccount } from "../change/account-lock.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceAssignmentQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { isValidBetween } from "../lists/times.js";
import { hasOwned } from "../ownerships/rules.js";
import { permittedNow } from "../permissions/coverage.js";
import { type AssignmentChange, assignmentItem, type NewAssignment } from "./resource.js";
import type { Assignment } from "./rules.js";

/** @throws ServiceError `invalid`, `assignment_overlaps`, `quota_exceeded` */
export async function createAssignment(ctx: Context, body: NewAssignment) {
  return change(ctx, "createAssignment", {}, async (unit) =>
    assignmentItem(await addAssignment(ctx, unit, body)),
  );
}

/** Adds an assignment within a change. */
export async function addAssignment(
  ctx: Context,
  unit: UnitOfWork,
  body: NewAssignment,
): Promise<Assignment> {
  const me = ctx.caller?.id ?? 0;
  const { queries, now } = unit;
  await lockAccount(unit, me);
  const writable = await permittedNow(queries, me, "WRITE", [body.athlete], now, { lock: true });
  const problems = {
    ...((await hasOwned(queries, me, body.device)) ? {} : { device: ["You have no device with this id."] }),
    ...(writable.has(body.athlete)
      ? {}
      : { athlete: ["There is no athlete with this id whom you may change."] }),
  };
  if (Object.keys(problems).length > 0) throw errors.invalid(problems);
  const row = {
    ownerId: me,
    deviceId: body.device,
    athleteId: body.athlete,
    startTime: body.start_time,
    endTime: body.end_time ?? CURRENT_END,
  };
  await check(unit, row);
  const [after] = await queries.insert(assignments).values(row).returning();
  if (after === undefined) throw new Error("The assignment was not inserted");
  await enforceAssignmentQuota(unit, me);
  await unit.announce("assignmentChanged", { before: null, after });
  return after;
}

/** @throws ServiceError `invalid`, `assignment_overlaps` */
export async function updateAssignment(ctx: Context, assignment: number, body: AssignmentChange) {
  return change(
    ctx,
    "updateAssignment",
    { assignment },
    (unit, before) => changeTime(unit, before, body),
    (_unit, target) => assignmentItem(target),
  );
}

async function changeTime(unit: UnitOfWork, before: Assignment, body: AssignmentChange) {
  await lockAccount(unit, before.ownerId);
  const startTime = body.start_time ?? before.startTime;
  const endTime = body.end_time ?? before.endTime;
  await check(unit, { ...before, startTime, endTime }, before.id);
  const [after] = await unit.queries
    .update(assignments)
    .set({ startTime, endTime, version: sql`${assignments.version} + 1` })
    .where(eq(assignments.id, before.id))
    .returning();
  if (after === undefined) throw errors.notFound();
  await unit.announce("assignmentChanged", { before, after });
  return assignmentItem(after);
}

export async function deleteAssignment(ctx: Context, assignment: number): Promise<void> {
  await change(
    ctx,
    "deleteAssignment",
    { assignment },
    async ({ queries, announce }, before) => {
      await queries.delete(assignments).where(eq(assignments.id, before.id));
      await announce("assignmentChanged", { before, after: null });
    },
    (_unit, target) => assignmentItem(target),
  );
}

/**
 * Checks that no other athlete wears the device at this time.
 * @param id id of an assignment that changes; absent for a new one
 */
async function check(
  { queries }: UnitOfWork,
  { ownerId, deviceId, startTime, endTime }: Omit<Assignment, "id" | "version">,
  id = 0,
): Promise<void> {
  if (endTime <= startTime) throw errors.field("end_time", "Must be after start_time.");
  const [other] = await queries
    .select({ id: assignments.id })
    .from(assignments)
    .where(
      and(
        eq(assignments.ownerId, ownerId),
        eq(assignments.deviceId, deviceId),
        ne(assignments.id, id),
        isValidBetween(assignments, startTime, endTime),
      ),
    )
    .limit(1);
  if (other !== undefined) {
    throw errors.conflict(
      "assignment_overlaps",
      "An athlete already wears the device at this time. End that assignment first.",
    );
  }
}
