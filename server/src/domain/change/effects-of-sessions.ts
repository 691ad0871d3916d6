import { activityAudit } from "../activities/audit.js";
import { recordSessionsOf } from "../change-log/figures.js";
import {
  recordLostSessions,
  recordSessions,
  sessionsOfTimeframes,
  sessionsWith,
  theseSessions,
} from "../change-log/session-readers.js";
import { queueComputation, queueSessionFigures } from "../computed-data/queue.js";
import { deleteFiguresOf, deleteReassignedResult, recompute } from "../computed-data/recompute.js";
import { auditEndOfSession, periodsAudit } from "../sessions/audit.js";
import { queueDerivation, spanOfChange } from "../sessions/derive-sessions.js";
import { deriveTimeframes } from "../sessions/derive-timeframes.js";
import { outdateFigures } from "../sessions/outdate-figures.js";
import { deriveRefusedAgain } from "../sessions/refused-derivations.js";
import type { Session } from "../sessions/rules.js";
import { timeframeAudit } from "../timeframes/audit.js";
import { emitActivityEvent, emitActivityEvents } from "../webhooks/events.js";
import { emitSessionEvent, emitSessionEvents } from "../webhooks/session-events.js";
import type { Effects } from "./reaction.js";

const hasSameTimes = (a: Session, b: Session): boolean =>
  a.startTime.getTime() === b.startTime.getTime() && a.endTime.getTime() === b.endTime.getTime();

/** Reactions to changes to activities, sessions and time frames. */
export const effectsOfSessions: Effects<
  | "activityCreated"
  | "activityUpdated"
  | "activityDeleted"
  | "activitiesErased"
  | "sessionChanged"
  | "sessionPeriodsChanged"
  | "timeframesDerived"
  | "timeframeCreated"
  | "timeframeUpdated"
  | "timeframesDeleted"
  | "resultsOutdated"
> = {
  activityCreated: [
    (unit, { activity }) => unit.audit("activity", activity.id, null, activityAudit(activity)),
  ],
  activityUpdated: [
    (unit, { before, after }) =>
      unit.audit("activity", after.id, activityAudit(before), activityAudit(after)),
    (unit, { after }) => emitActivityEvent(unit, "activity-updated", { activityId: after.id }),
    (unit, { after }) => recompute(unit, { activityId: after.id }),
    (unit, { after }) => recordSessions(unit, "session", theseSessions([after.id])),
  ],
  activityDeleted: [
    (unit, { activity }) => emitActivityEvent(unit, "activity-deleted", { activityId: activity.id }),
    auditEndOfSession,
    (unit, { activity }) => recordSessions(unit, "session", theseSessions([activity.id])),
    (unit, { activity }) => unit.audit("activity", activity.id, activityAudit(activity), null),
  ],
  activitiesErased: [
    (unit, { ids }) =>
      unit.auditAll(
        "activity",
        ids.map((id) => ({ id })),
      ),
  ],
  sessionChanged: [
    (unit, { before, after }) => unit.audit("session", after.id, before, after),
    (unit, { after }) => deriveTimeframes(unit, after),
    // Concurrent transactions that change players, devices or rights do not see this session or its new times.
    async (unit, { before, after }) => {
      if (before !== null && hasSameTimes(before, after)) return;
      if (before !== null) await outdateFigures(unit, after);
      await queueDerivation(unit, { ownerId: after.ownerId, sessionId: after.id, ...spanOfChange([after]) });
    },
    async (unit, { before, after }) => {
      if (before !== null) await emitSessionEvent(unit, after);
    },
    (unit, { after }) => recordSessions(unit, "session", theseSessions([after.id])),
  ],
  sessionPeriodsChanged: [
    (unit, { session, before, after }) =>
      unit.audit("session periods", session.id, periodsAudit(before), periodsAudit(after)),
    (unit, { session }) => deriveTimeframes(unit, session),
    (unit, { session }) => emitSessionEvent(unit, session),
    (unit, { session }) => recordSessions(unit, "session", theseSessions([session.id])),
  ],
  timeframesDerived: [
    (unit, { created }) =>
      unit.auditAll(
        "timeframe",
        created.map((after) => ({ id: after.id, after })),
      ),
    (unit, { created }) =>
      emitActivityEvents(
        unit,
        "timeframe-created",
        created.map(({ id, activityId }) => ({ activityId, timeframeId: id })),
      ),
    (unit, { created }) => queueComputation(unit, created),
    async (unit, { created }) => {
      const sessions = new Map(created.map(({ activityId, ownerId }) => [activityId, ownerId]));
      for (const [id, ownerId] of sessions) await emitSessionEvent(unit, { id, ownerId });
    },
    // Athletes see the sessions in which they have time frames.
    (unit, { created }) => recordSessions(unit, "session", sessionsOfTimeframes(created.map(({ id }) => id))),
  ],
  timeframeCreated: [
    (unit, { timeframe }) => unit.audit("timeframe", timeframe.id, null, timeframe),
    (unit, { timeframe: { id, activityId } }) =>
      emitActivityEvent(unit, "timeframe-created", { activityId, timeframeId: id }),
    (unit, { timeframe }) => queueComputation(unit, [timeframe]),
  ],
  timeframeUpdated: [
    (unit, { before, after }) => unit.audit("timeframe", after.id, ...timeframeAudit(before, after)),
    // A time frame that moves to another activity is reported to the webhooks of both.
    async (unit, { before, after }) => {
      for (const activityId of new Set([before.activityId, after.activityId])) {
        await emitActivityEvent(unit, "timeframe-updated", { activityId, timeframeId: after.id });
      }
    },
    (unit, { before, after }) => deleteReassignedResult(unit, before, after),
    (unit, { after }) => queueComputation(unit, [after]),
    async (unit, { before, after }) => {
      if (after.athleteId === before.athleteId) return;
      await recordSessions(unit, "session", sessionsOfTimeframes([after.id]), before.athleteId);
    },
  ],
  timeframesDeleted: [
    (unit, { deleted }) =>
      deleteFiguresOf(
        unit,
        deleted.map(({ id }) => id),
      ),
    // Not for a session that is deleted too. The figures of the others contain the ids of their time frames.
    async (unit, { deleted, withActivity }) => {
      const sessions = await sessionsWith(unit, deleted, { withActivity });
      await emitSessionEvents(unit, sessions);
      await queueSessionFigures(unit, sessions);
      await recordSessionsOf(unit, "session", sessions);
    },
    (unit, { deleted, withActivity }) =>
      emitActivityEvents(
        unit,
        "timeframe-deleted",
        deleted.map(({ id, activityId }) => ({ activityId, timeframeId: id })),
        { outlives: withActivity },
      ),
    (unit, { deleted }) =>
      unit.auditAll(
        "timeframe",
        deleted.map((before) => ({ id: before.id, before })),
      ),
    (unit, { deleted }) => recordLostSessions(unit, deleted),
    async (unit, { deleted, withActivity }) => {
      if (!withActivity)
        await deriveRefusedAgain(
          unit,
          deleted.map(({ activityId }) => activityId),
        );
    },
  ],
  resultsOutdated: [(unit, { timeframes }) => queueComputation(unit, timeframes)],
};
