import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { permissions, type Role, timeframes } from "../../store/schema.js";
import { mailChangedCredentials } from "../accounts/credentials-mail.js";
import { erasePerson } from "../accounts/erase.js";
import { recordErasure } from "../accounts/erasures.js";
import { playerName } from "../accounts/player-names.js";
import { toAthlete } from "../accounts/resource.js";
import { revokeResets, revokeTokens } from "../accounts/write.js";
import { recordFigures, recordFiguresOfMembers, recordSessionsOfDeleted } from "../change-log/figures.js";
import {
  recordAthlete,
  recordDeletedAthlete,
  recordDeletedSquads,
  recordNewAthletes,
  recordPermitted,
  recordSquad,
} from "../change-log/objects.js";
import { recordRoles } from "../change-log/record.js";
import type { Memberships } from "../change-log/session-readers.js";
import { recompute } from "../computed-data/recompute.js";
import { deletePermissions } from "../permissions/remove.js";
import { ownersOfSquads, queueAll, queueDerivation, spanOfChange } from "../sessions/derive-sessions.js";
import { grantAudit } from "../squad-roles/audit.js";
import { deleteTimeframes } from "../timeframes/remove.js";
import { cancelDeliveryOf } from "../webhooks/delivery-queue.js";
import { endDeliveries } from "../webhooks/erase.js";
import { effectsOfSamples } from "./effects-of-samples.js";
import { effectsOfSessions } from "./effects-of-sessions.js";
import type { Events, Written } from "./events.js";
import { groupBy } from "./group-by.js";
import { type AuditedRow, audit, type Effects } from "./reaction.js";
import type { UnitOfWork } from "./unit-of-work.js";

const auditedChange = <Row extends AuditedRow>({ before, after }: Written<Row>) => ({
  id: after.id,
  ...(before === null ? {} : { before }),
  after,
});

const isAthlete = ({ role }: { role: Role }): boolean => role === "ATHLETE";

/** Athletes see the squads to which they belong. */
const recordMembers = (
  unit: UnitOfWork,
  members: readonly ({ athleteId: number; squadId: number } | null)[],
) =>
  recordRoles(
    unit,
    members.flatMap((one) => (one === null ? [] : [{ accountId: one.athleteId, squadId: one.squadId }])),
  );

type Permissions = Events["permissionsGranted"]["granted"];

/** Returns each pair once, because a manager can have thousands of permissions on one athlete. */
const pairsOf = (changed: Permissions): Required<Memberships>[] => [
  ...new Map(
    changed.map(({ athleteId, managerId }) => [`${managerId} ${athleteId}`, { athleteId, managerId }]),
  ).values(),
];

/**
 * Derives the sessions at the times of a permission to write again. They get time frames of the athlete, or, after its end, those of
 * other players that a limit prevented.
 */
async function deriveWritable(unit: UnitOfWork, changed: Permissions): Promise<void> {
  const writable = changed.filter(({ permission }) => permission === "WRITE");
  const byPair = groupBy(writable, ({ managerId, athleteId }) => `${managerId} ${athleteId}`);
  const owners = await ownersOfSquads(
    unit.queries,
    writable.map(({ managerId }) => managerId),
  );
  await queueAll(
    unit,
    [...byPair.values()].flatMap((ofPair) => {
      const { managerId: ownerId = 0, athleteId = 0 } = ofPair[0] ?? {};
      if (!owners.has(ownerId)) return [];
      const times = ofPair.map(({ startTime, expirationTime }) => ({ startTime, endTime: expirationTime }));
      return [{ ownerId, athleteId, ...spanOfChange(times) }];
    }),
  );
}

/**
 * Lists all effects. A change announces an event with `unit.announce`; the reactions run in the order given here, in the same
 * transaction, before `announce` returns.
 */
export const effects: Effects<keyof Events> = {
  ...effectsOfSamples,
  ...effectsOfSessions,

  accountsCreated: [
    (unit, { created }) =>
      unit.auditAll(
        "account",
        created.map((after) => ({ id: after.id, after })),
      ),
    (unit, { created }) => recordNewAthletes(unit, created.filter(isAthlete)),
  ],
  accountUpdated: [
    // A new password ends all sessions.
    async (unit, { before, after }) => {
      if (after.passwordHash !== before.passwordHash) await revokeTokens(unit, after.id);
    },
    async (unit, { before, after, isMailed = true }) => {
      if (isMailed) await mailChangedCredentials(unit, before, after);
    },
    // Links sent to the old address must not work, and a disabled account gets no new password.
    async (unit, { before, after }) => {
      const ends = after.email !== before.email || (before.disabledAt === null && after.disabledAt !== null);
      if (ends) await revokeResets(unit, after.id);
    },
    // The maximum heart rate depends on the age.
    async (unit, { before, after }) => {
      if (after.birthDate !== before.birthDate) await recompute(unit, { athleteId: after.id });
    },
    audit("account"),
    async (unit, { before, after }) => {
      const isSame = isDeepStrictEqual(toAthlete(after), toAthlete(before));
      if (!isSame && isAthlete(after)) await recordAthlete(unit, after.id);
    },
    // The figures of a session contain the names of its players.
    async (unit, { before, after }) => {
      if (playerName(after) !== playerName(before)) await recordFigures(unit, { athleteId: after.id });
    },
  ],
  accountClosed: [
    (unit, { accountId }) => revokeTokens(unit, accountId),
    (unit, { accountId }) => endDeliveries(unit, accountId),
  ],
  accountDeleted: [
    async (unit, { account }) => {
      if (isAthlete(account)) await recordDeletedAthlete(unit, account.id);
    },
    (unit, { account }) => recordSessionsOfDeleted(unit, account.id),
    (unit, { account }) => deleteTimeframes(unit, eq(timeframes.athleteId, account.id)),
    (unit, { account }) => deletePermissions(unit, eq(permissions.athleteId, account.id)),
    // Run this after the reactions above, because it erases the values of the audit rows that they write.
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
    (unit, { granted }) => deriveWritable(unit, granted),
    (unit, { granted }) => recordPermitted(unit, pairsOf(granted)),
    (unit, { granted }) => recordFiguresOfMembers(unit, pairsOf(granted)),
  ],
  permissionsRevoked: [
    (unit, { revoked }) =>
      unit.auditAll(
        "permission",
        revoked.map((before) => ({ id: before.id, before })),
      ),
    (unit, { revoked }) => deriveWritable(unit, revoked),
    (unit, { revoked }) => recordPermitted(unit, pairsOf(revoked)),
    (unit, { revoked }) => recordFiguresOfMembers(unit, pairsOf(revoked)),
  ],
  deviceChanged: [audit("device")],
  bluetoothChanged: [(unit, { deviceId, before, after }) => unit.audit("bluetooth", deviceId, before, after)],
  jobRevoked: [cancelDeliveryOf],
  recipeChanged: [audit("recipe")],
  squadChanged: [
    audit("squad"),
    async (unit, { before, after }) => {
      if (after !== null) await recordSquad(unit, after);
      else if (before !== null) await recordDeletedSquads(unit, sql`id = ${before.id}`);
    },
  ],
  squadsErased: [(unit, { ownerId }) => recordDeletedSquads(unit, sql`owner_id = ${ownerId}`)],
  memberChanged: [
    audit("squad member"),
    (unit, { before, after }) => recordMembers(unit, [before, after]),
    async (unit, { before, after, ownerId }) => {
      const squadId = (after ?? before)?.squadId ?? 0;
      await queueDerivation(unit, { ownerId, squadId, ...spanOfChange([before, after]) });
    },
  ],
  squadGrantChanged: [
    // The erasure of an account finds its values in the audit log by this name.
    (unit, { before, after }) =>
      unit.audit("squad grant", (after ?? before)?.id ?? 0, grantAudit(before), grantAudit(after)),
    // An invitation takes effect only when it is accepted.
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
      await queueDerivation(unit, { ownerId, athleteId, ...spanOfChange([before, after]) });
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
    // Assignments affect the sessions of all squads.
    async (unit, { ownerId, squadId, members, assignments }) => {
      const rows = [...members, ...assignments].flatMap(({ before, after }) => [before, after]);
      if (rows.length === 0) return;
      const squad = assignments.length === 0 ? { squadId } : {};
      await queueDerivation(unit, { ownerId, ...squad, ...spanOfChange(rows) });
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
