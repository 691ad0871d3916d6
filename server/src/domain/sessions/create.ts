import { activities, sessions } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { enforceActivityQuota } from "../change/quotas.js";
import { lockEditableSquad } from "../squad-roles/editable.js";
import { activitySchemaOf, requireTimes } from "./check.js";
import { requireMembers } from "./membership.js";
import type { NewSession } from "./resource.js";
import type { Session } from "./rules.js";
import { sessionDetails } from "./waiting-work.js";

/**
 * Creates a session and its activity. Its time frames are derived from the squad and the assignments.
 * @throws ServiceError `invalid`, `forbidden`, `too_many_timeframes`; QuotaExceeded
 */
export async function createSession(ctx: Context, body: NewSession) {
  requireTimes(body.start_time, body.end_time);
  return change(ctx, "createSquadSession", {}, async (unit) => {
    const { queries, now } = unit;
    // Without the lock, a concurrent deletion of the squad would not see this session.
    const { id: squadId, ownerId, view } = await lockEditableSquad(ctx, unit, body.squad);
    await requireMembers(queries, view, { squadId, startTime: body.start_time, endTime: body.end_time });
    const [activity] = await queries
      .insert(activities)
      .values({
        name: body.name,
        json: { sport: body.sport },
        jsonSchemaId: await activitySchemaOf(queries, body.sport),
        ownerId,
        createdAt: now,
      })
      .returning();
    if (activity === undefined) throw new Error("The activity was not inserted");
    await enforceActivityQuota(unit, ownerId);
    const [row] = await queries
      .insert(sessions)
      .values({
        activityId: activity.id,
        squadId,
        kind: body.kind,
        place: body.place ?? null,
        notes: body.notes ?? null,
        startTime: body.start_time,
        endTime: body.end_time,
      })
      .returning();
    if (row === undefined) throw new Error("The session was not inserted");
    const { activityId: id, ...columns } = row;
    const session: Session = {
      id,
      ...columns,
      name: activity.name,
      ownerId,
      sport: body.sport,
      activityVersion: activity.version,
    };
    await unit.announce("activityCreated", { activity });
    await unit.announce("sessionChanged", { before: null, after: session });
    return sessionDetails(unit.queries, { ...session, view });
  });
}
