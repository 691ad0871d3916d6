import { deleteSamplesFrom, type Interval, sqlClientOf } from "../../store/samples/index.js";
import { deleteOwnerSettings, eraseOwner } from "../bluetooth/former-owner.js";
import { deleteRecordingHashes } from "../bulk-load/repeated.js";
import { recordFigures } from "../change-log/figures.js";
import { recordLostSamples, recordSamples } from "../change-log/record.js";
import { recompute } from "../computed-data/recompute.js";
import { deleteRemovalRecords, recordRemovals } from "../computed-data/removed-samples.js";
import { changedTimes } from "../ownerships/interval.js";
import { deleteStream } from "../recording-streams/delete.js";
import { queueDerivation } from "../sessions/derive-sessions.js";
import { emitAccountEvent } from "../webhooks/account-events.js";
import { emitChangedSessions } from "../webhooks/session-events.js";
import { audit, type Effects } from "./reaction.js";

const spanOf = (intervals: readonly Interval[]): Interval => ({
  startMs: intervals.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
  stopMs: intervals.reduce((most, { stopMs }) => Math.max(most, stopMs), Number.NEGATIVE_INFINITY),
});

const timesOfSpan = (intervals: readonly Interval[]) => {
  const { startMs, stopMs } = spanOf(intervals);
  return { from: new Date(startMs).toISOString(), to: new Date(stopMs).toISOString() };
};

/** Reactions to changes to ownerships, streams and samples. */
export const effectsOfSamples: Effects<
  | "ownershipChanged"
  | "ownerReplaced"
  | "ownerErased"
  | "ownershipsErased"
  | "recordingAccepted"
  | "samplesStored"
  | "samplesFound"
  | "streamBegun"
  | "streamEnded"
  | "samplesErased"
  | "samplesRefused"
  | "samplesExpired"
  | "samplesDeleted"
> = {
  ownershipChanged: [
    audit("ownership"),
    // The clock of a device may be ahead of the server's clock, so samples may be timed after the end of the ownership.
    // The next owner could read them.
    async (unit, { before, after }) => {
      if (before === null || after.endTime >= before.endTime) return;
      const startMs = after.endTime.getTime();
      const { deviceId, managerId } = after;
      const { times } = await deleteSamplesFrom(sqlClientOf(unit.queries), deviceId, startMs);
      await recordLostSamples(unit, managerId, { deviceId, times });
      await deleteRecordingHashes(unit, {
        deviceId: after.deviceId,
        startMs,
        stopMs: Number.POSITIVE_INFINITY,
      });
      await deleteStream(unit, after);
    },
    // The change adds or removes samples that count for the owner.
    (unit, { before, after }) =>
      recompute(unit, {
        deviceId: after.deviceId,
        ownerId: after.managerId,
        changed: changedTimes(before, after),
      }),
    // A session has time frames only of devices that its owner owned, and its result names the players who wear none.
    async (unit, { before, after }) => {
      for (const { startMs, stopMs } of changedTimes(before, after)) {
        const changed = { ownerId: after.managerId, fromMs: startMs, toMs: stopMs };
        await queueDerivation(unit, changed);
        await recordFigures(unit, changed);
      }
    },
  ],
  ownerReplaced: [deleteOwnerSettings],
  ownerErased: [eraseOwner, deleteStream],
  ownershipsErased: [
    // Records of samples removed by retention apply only to the manager who owned the times.
    deleteRemovalRecords,
    (unit, { erased }) =>
      unit.auditAll(
        "ownership",
        erased.map((id) => ({ id })),
      ),
  ],
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
    deleteStream,
    (unit, { deviceId, changed }) => deleteRecordingHashes(unit, { deviceId, ...spanOf(changed) }),
    // Results of other athletes for the same time include these samples. Delete them even if retention prevents a new result.
    (unit, input) => recompute(unit, { ...input, forgets: true }),
  ],
  samplesRefused: [
    (unit, { deviceId, managerId, counts }) =>
      unit.audit("samples", deviceId, null, { managerId, ...counts }),
  ],
  samplesExpired: [
    recordRemovals,
    (unit, { deviceId, removed }) => recordSamples(unit, { deviceId, times: removed }),
    (unit, { deviceId, removed }) => deleteRecordingHashes(unit, { deviceId, ...spanOf(removed) }),
    (unit, { deviceId, removed, count }) =>
      unit.audit("samples", deviceId, { ...spanOf(removed), chunks: removed.length, count }, null),
  ],
  samplesDeleted: [
    (unit, { deviceId, deleted }) => emitChangedSessions(unit, { deviceId, changed: deleted }),
    deleteStream,
    (unit, { deviceId, removed }) => recordSamples(unit, { deviceId, times: removed }),
    (unit, { deviceId, deleted }) => deleteRecordingHashes(unit, { deviceId, ...spanOf(deleted) }),
    (unit, { deviceId, deleted, count }) =>
      unit.auditAll(
        "samples",
        deleted.map(({ startMs, stopMs }) => ({ id: deviceId, before: { startMs, stopMs, count } })),
      ),
    // These results include deleted samples, so they are deleted even if retention has removed samples that a new result would
    // need.
    (unit, { deviceId, deleted }) => recompute(unit, { deviceId, changed: deleted, forgets: true }),
  ],
};
