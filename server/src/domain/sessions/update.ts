import { eq, sql } from "drizzle-orm";
import { activities, sessions } from "../../store/schema.js";
import { requireSchemaOfTimeframes } from "../activities/check.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { activitySchemaOf, requireTimes } from "./check.js";
import { requireMembers } from "./membership.js";
import { periodRowsOf } from "./period-rows.js";
import type { SessionChanges } from "./resource.js";
import type { Session } from "./rules.js";
import { detailsToMatch, sessionDetails } from "./waiting-work.js";

/**
 * Changes a session and updates its time frames. Absent fields do not change.
 * @throws ServiceError `invalid`, `forbidden`, `too_many_timeframes`; QuotaExceeded
 */
export async function updateSession(ctx: Context, { id }: Session, body: SessionChanges) {
  return change(
    ctx,
    "updateSquadSession",
    { session: id },
    async (unit, { view, ...before }) => {
      const { start_time: startTime = before.startTime, end_time: endTime = before.endTime } = body;
      requireTimes(startTime, endTime);
      await requireMembers(unit.queries, view, { squadId: before.squadId, startTime, endTime }, before);
      await requirePeriodsWithin(unit, id, startTime, endTime);
      const { name = before.name, sport = before.sport } = body;
      const activityVersion = await updateActivity(unit, before, { name, sport });
      const [row] = await unit.queries
        .update(sessions)
        .set({
          kind: body.kind ?? before.kind,
          place: body.place === undefined ? before.place : body.place,
          notes: body.notes === undefined ? before.notes : body.notes,
          startTime,
          endTime,
          version: sql`${sessions.version} + 1`,
        })
        .where(eq(sessions.activityId, id))
        .returning();
      if (row === undefined) throw errors.notFound();
      const { activityId: _, ...columns } = row;
      const after: Session = { ...before, ...columns, name, sport, activityVersion };
      await unit.announce("sessionChanged", { before, after });
      if (sport !== before.sport) {
        // Check further time frames of the activity, which are not derived from the session.
        await requireSchemaOfTimeframes(unit, id, await activitySchemaOf(unit.queries, sport), "sport");
      }
      return sessionDetails(unit.queries, { ...after, view });
    },
    (_unit, target) => detailsToMatch(ctx, target),
  );
}

/** Updates the name and the sport, which belong to the activity. @returns its version */
async function updateActivity(
  unit: UnitOfWork,
  before: Session,
  { name, sport }: Pick<Session, "name" | "sport">,
): Promise<number> {
  if (name === before.name && sport === before.sport) return before.activityVersion;
  const { queries } = unit;
  const [old] = await queries.select().from(activities).where(eq(activities.id, before.id));
  if (old === undefined) throw errors.notFound();
  const [after] = await queries
    .update(activities)
    .set({
      name,
      json: { ...old.json, sport },
      jsonSchemaId: await activitySchemaOf(queries, sport),
      version: sql`${activities.version} + 1`,
    })
    .where(eq(activities.id, before.id))
    .returning();
  if (after === undefined) throw errors.notFound();
  await unit.announce("activityUpdated", { before: old, after });
  return after.version;
}

async function requirePeriodsWithin(
  { queries }: UnitOfWork,
  id: number,
  startTime: Date,
  endTime: Date,
): Promise<void> {
  const outside = (await periodRowsOf(queries, id)).find(
    (row) =>
      row.startTime !== null && row.endTime !== null && (row.startTime < startTime || row.endTime > endTime),
  );
  if (outside === undefined) return;
  const field = (outside.startTime ?? startTime) < startTime ? "start_time" : "end_time";
  throw errors.field(
    field,
    `The period "${outside.name}" would be outside the session. Change the periods first.`,
  );
}
