import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { deleteSamplesFrom, type Interval, sqlClientOf } from "../../store/samples/index.js";
import { permissions, type Role, timeframes } from "../../store/schema.js";
import { mailChangedCredentials } from "../accounts/credentials-mail.js";
import { erasePerson } from "../accounts/erase.js";
import { recordErasure } from "../accounts/erasures.js";
import { playerName } from "../accounts/player-names.js";
import { toAthlete } from "../accounts/resource.js";
import { revokeResets, revokeTokens } from "../accounts/write.js";
import { activityAudit } from "../activities/audit.js";
import { deleteOwnerSettings, eraseOwner } from "../bluetooth/forget.js";
import { forgetRecordings } from "../bulk-load/repeated.js";
import { recordFigures, recordFiguresOfDeleted, recordFiguresOfMembers } from "../change-log/figures.js";
import {
  recordAthlete,
  recordLostSamples,
  recordPermitted,
  recordRoles,
  recordSamples,
  recordSessions,
  recordSquads,
  sessionsOfTimeframes,
  theseSessions,
} from "../change-log/record.js";
import { deleteReassignedResult, queueComputation, recompute } from "../computed-data/recompute.js";
import { deleteRemovalRecords, recordRemovals } from "../computed-data/removed-samples.js";
import { changedTimes } from "../ownerships/interval.js";
import { deletePermissions } from "../permissions/remove.js";
import { forgetStream } from "../recording-streams/forget.js";
import { auditEndOfSession, periodsAudit } from "../sessions/audit.js";
import { queueDerivation, spanOfChange } from "../sessions/derive-sessions.js";
import { deriveTimeframes } from "../sessions/derive-timeframes.js";
import { grantAudit } from "../squad-roles/audit.js";
import { timeframeAudit } from "../timeframes/audit.js";
import { deleteTimeframes } from "../timeframes/remove.js";
import { emitAccountEvent } from "../webhooks/account-events.js";
import { cancelDeliveryOf } from "../webhooks/delivery-queue.js";
import { endDeliveries } from "../webhooks/erase.js";
import { emitActivityEvent, emitActivityEvents } from "../webhooks/events.js";
import { emitChangedSessions, emitSessionEvent } from "../webhooks/session-events.js";
import type { Changed, Events, Written } from "./events.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** Reaction to an event, within the transaction of the change that announced it. */
type Reaction<Event> = (unit: UnitOfWork, event: Event) => Promise<void>;

const spanOf = (intervals: readonly Interval[]): Interval => ({
  startMs: intervals.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
  stopMs: intervals.reduce((most, { stopMs }) => Math.max(most, stopMs), Number.NEGATIVE_INFINITY),
});

const timesOfSpan = (intervals: readonly Interval[]) => {
  const { startMs, stopMs } = spanOf(intervals);
  return { from: new Date(startMs).toISOString(), to: new Date(stopMs).toISOString() };
};

const done = Promise.resolve();

type AuditedRow = { id: number } & Record<string, unknown>;

/** Writes a row before and after the change to the audit log. */
const audit =
  (entity: string): Reaction<Changed<AuditedRow>> =>
  (unit, event) => {
    const { id } = event.before === null ? event.after : event.before;
    return unit.audit(entity, id, event.before, event.after);
  };

const auditedChange = <Row extends AuditedRow>({ before, after }: Written<Row>) => ({
  id: after.id,
  ...(before === null ? {} : { before }),
  after,
});

const recordIfAthlete = async (unit: UnitOfWork, { id, role }: { id: number; role: Role }) => {
  if (role === "ATHLETE") await recordAthlete(unit, id);
};

/** Athletes see the squads to which they belong. */
const recordMembers = (
  unit: UnitOfWork,
  members: readonly ({ athleteId: number; squadId: number } | null)[],
) =>
  recordRoles(
    unit,
    members.flatMap((one) => (one === null ? [] : [{ accountId: one.athleteId, squadId: one.squadId }])),
  );

/**
 * The single table of effects. A change announces an event with `unit.announce`; the reactions run in the order given here, in
 * the same transaction, before `announce` returns.
 */
export const effects: { [Name in keyof Events]: readonly Reaction<Events[Name]>[] } = {
  accountCreated: [
    (unit, { account }) => unit.audit("account", account.id, null, account),
    (unit, { account }) => recordIfAthlete(unit, account),
  ],
  accountUpdated: [
    // A new password ends all sessions.
    async (unit, { before, after }) => {
      if (after.passwordHash !== before.passwordHash) await revokeTokens(unit, after.id);
    },
    (unit, { before, after }) => mailChangedCredentials(unit, before, after),
    // Links mailed to the old address must not work, and a disabled account gets no new password.
    async (unit, { before, after }) => {
      const ends = after.email !== before.email || (before.disabledAt === null && after.disabledAt !== null);
      if (ends) await revokeResets(unit, after.id);
    },
    // The maximum heart rate is derived from the age.
    async (unit, { before, after }) => {
      if (after.birthDate !== before.birthDate) await recompute(unit, { athleteId: after.id });
    },
    audit("account"),
    async (unit, { before, after }) => {
      if (!isDeepStrictEqual(toAthlete(after), toAthlete(before))) await recordIfAthlete(unit, after);
    },
    // The figures of a session have the names of its players.
    async (unit, { before, after }) => {
      if (playerName(after) !== playerName(before)) await recordFigures(unit, { athleteId: after.id });
    },
  ],
  accountClosed: [
    (unit, { accountId }) => revokeTokens(unit, accountId),
    (unit, { accountId }) => endDeliveries(unit, accountId),
  ],
  accountDeleted: [
    (unit, { account }) => recordIfAthlete(unit, account),
    (unit, { account }) => recordFiguresOfDeleted(unit, account.id),
    (unit, { account }) => deleteTimeframes(unit, eq(timeframes.athleteId, account.id)),
    (unit, { account }) => deletePermissions(unit, eq(permissions.athleteId, account.id)),
    // After the reactions above, because it erases the values of the audit rows that they write.
    (unit, { account }) => erasePerson(unit, account),
    (unit, { account }) => unit.audit("account", account.id, null, null),
  ],
  accountRemoved: [(unit, { account, erasure }) => recordErasure(unit, account, erasure)],

  permissionsGranted: [
    (unit, { granted }) =>
      unit.auditAll(
        "permission",
        granted.map((after) => ({ id: after.id, after })),
      ),
    // Sessions of before the permission may now have time frames of the athlete.
    async (unit, { granted }) => {
      for (const { athleteId, managerId, permission, startTime, expirationTime } of granted) {
        if (permission !== "WRITE") continue;
        const times = spanOfChange({ startTime, endTime: expirationTime });
        await queueDerivation(unit, { ownerId: managerId, athleteId, ...times });
      }
    },
    (unit, { granted }) => recordPermitted(unit, granted),
    (unit, { granted }) => recordFiguresOfMembers(unit, granted),
  ],
  permissionsRevoked: [
    (unit, { revoked }) =>
      unit.auditAll(
        "permission",
        revoked.map((before) => ({ id: before.id, before })),
      ),
    (unit, { revoked }) => recordPermitted(unit, revoked),
    (unit, { revoked }) => recordFiguresOfMembers(unit, revoked),
  ],

  deviceChanged: [audit("device")],
  bluetoothChanged: [(unit, { deviceId, before, after }) => unit.audit("bluetooth", deviceId, before, after)],

  ownershipChanged: [
    audit("ownership"),
    // The clock of a device may be ahead of the server's, so samples may have times after the end. The next owner
    // could read them.
    async (unit, { before, after }) => {
      if (before === null || after.endTime >= before.endTime) return;
      const startMs = after.endTime.getTime();
      const { deviceId, managerId } = after;
      const { times } = await deleteSamplesFrom(sqlClientOf(unit.queries), deviceId, startMs);
      await recordLostSamples(unit, managerId, { deviceId, times });
      await forgetRecordings(unit, { deviceId: after.deviceId, startMs, stopMs: Number.POSITIVE_INFINITY });
      await forgetStream(unit, after);
    },
    // The change adds or removes samples that count for the owner.
    (unit, { before, after }) =>
      recompute(unit, {
        deviceId: after.deviceId,
        ownerId: after.managerId,
        changed: changedTimes(before, after),
      }),
    // A session names players without a device of its owner.
    async (unit, { before, after }) => {
      for (const { startMs, stopMs } of changedTimes(before, after)) {
        await recordFigures(unit, { ownerId: after.managerId, fromMs: startMs, toMs: stopMs });
      }
    },
  ],
  ownerReplaced: [deleteOwnerSettings],
  ownerErased: [eraseOwner],
  ownershipsErased: [
    // Records of samples removed by retention apply only to the manager who owned the times.
    deleteRemovalRecords,
    (unit, { erased }) =>
      unit.auditAll(
        "ownership",
        erased.map((id) => ({ id })),
      ),
  ],

  jobRevoked: [cancelDeliveryOf],
  recordingAccepted: [(unit, { jobId, details }) => unit.audit("job", jobId, null, details)],
  samplesStored: [
    deleteRemovalRecords,
    recompute,
    (unit, { deviceId, changed }) => recordSamples(unit, { deviceId, times: changed }),
    async (unit, { deviceId, ownerId, changed }) => {
      if (ownerId === undefined || changed.length === 0) return;
      await emitAccountEvent(unit, ownerId, "samples.stored", { device: deviceId, ...timesOfSpan(changed) });
    },
    emitChangedSessions,
  ],
  samplesFound: [(unit, { deviceId, found }) => recordSamples(unit, { deviceId, times: found })],
  streamBegun: [(unit, { deviceId, ...begun }) => unit.audit("recording stream", deviceId, null, begun)],
  streamEnded: [(unit, { deviceId, details }) => unit.audit("recording stream", deviceId, null, details)],
  samplesErased: [
    (unit, { deviceId, removed }) => recordSamples(unit, { deviceId, times: removed }),
    emitChangedSessions,
    forgetStream,
    (unit, { deviceId, changed }) => forgetRecordings(unit, { deviceId, ...spanOf(changed) }),
    // Results of other people for the same time include these samples. Delete them, also if retention prevents a new result.
    (unit, input) => recompute(unit, { ...input, forgets: true }),
  ],
  samplesRefused: [
    (unit, { deviceId, managerId, counts }) =>
      unit.audit("samples", deviceId, null, { managerId, ...counts }),
  ],
  samplesExpired: [
    recordRemovals,
    (unit, { deviceId, removed }) => recordSamples(unit, { deviceId, times: removed }),
    (unit, { deviceId, removed }) => forgetRecordings(unit, { deviceId, ...spanOf(removed) }),
    (unit, { deviceId, removed, count }) =>
      unit.audit("samples", deviceId, { ...spanOf(removed), chunks: removed.length, count }, null),
  ],
  samplesDeleted: [
    (unit, { deviceId, deleted }) => emitChangedSessions(unit, { deviceId, changed: deleted }),
    forgetStream,
    (unit, { deviceId, removed }) => recordSamples(unit, { deviceId, times: removed }),
    (unit, { deviceId, deleted }) => forgetRecordings(unit, { deviceId, ...spanOf(deleted) }),
    (unit, { deviceId, deleted, count }) =>
      unit.auditAll(
        "samples",
        deleted.map(({ startMs, stopMs }) => ({ id: deviceId, before: { startMs, stopMs, count } })),
      ),
    // These results include deleted samples, so they are deleted even if retention has removed samples that a new result would
    // need.
    (unit, { deviceId, deleted }) => recompute(unit, { deviceId, changed: deleted, forgets: true }),
  ],

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
    (unit, { before, after }) => (before === null ? done : emitSessionEvent(unit, after)),
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
    (unit, { deleted }) => recordSessions(unit, "session", sessionsOfTimeframes(deleted.map(({ id }) => id))),
  ],

  resultsOutdated: [(unit, { timeframes }) => queueComputation(unit, timeframes)],

  recipeChanged: [audit("recipe")],

  squadChanged: [
    audit("squad"),
    (unit, { before, after }) => recordSquads(unit, sql`id = ${(after ?? before)?.id ?? 0}`),
  ],
  squadsErased: [(unit, { ownerId }) => recordSquads(unit, sql`owner_id = ${ownerId}`)],
  memberChanged: [
    audit("squad member"),
    (unit, { before, after }) => recordMembers(unit, [before, after]),
    async (unit, { before, after, ownerId }) => {
      const squadId = (after ?? before)?.squadId ?? 0;
      await queueDerivation(unit, { ownerId, squadId, ...spanOfChange(before, after) });
    },
  ],
  squadGrantChanged: [
    // The erasure of an account looks for its values in the audit log under this name.
    (unit, { before, after }) =>
      unit.audit("squad grant", (after ?? before)?.id ?? 0, grantAudit(before), grantAudit(after)),
    // An invitation has no effect before it is accepted.
    (unit, { before, after }) => {
      const grant = before === null ? after : (after ?? before);
      if (grant.guestId === null || grant.acceptedAt === null) return Promise.resolve();
      return recordRoles(unit, [{ accountId: grant.guestId, squadId: grant.squadId }]);
    },
  ],
  assignmentChanged: [
    audit("assignment"),
    async (unit, { before, after }) => {
      const { ownerId, athleteId } = before === null ? after : before;
      await queueDerivation(unit, { ownerId, athleteId, ...spanOfChange(before, after) });
    },
  ],

  rosterImported: [
    (unit, { members }) => unit.auditAll("squad member", members.map(auditedChange)),
    (unit, { assignments }) => unit.auditAll("assignment", assignments.map(auditedChange)),
    (unit, { members }) =>
      recordMembers(
        unit,
        members.flatMap(({ before, after }) => [before, after]),
      ),
    // Assignments have an effect on the sessions of all squads.
    async (unit, { ownerId, squadId, members, assignments }) => {
      const rows = [...members, ...assignments].flatMap(({ before, after }) => [before, after]);
      if (rows.length === 0) return;
      const squad = assignments.length === 0 ? { squadId } : {};
      await queueDerivation(unit, { ownerId, ...squad, ...spanOfChange(...rows) });
    },
  ],

  webhookChanged: [audit("webhook")],
  deliveryChanged: [audit("webhook delivery")],
};

/** Runs the reactions to an event. */
export async function react<Name extends keyof Events>(
  unit: UnitOfWork,
  name: Name,
  event: Events[Name],
): Promise<void> {
  for (const reaction of effects[name]) await reaction(unit, event);
}
