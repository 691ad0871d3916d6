import { isDeepStrictEqual } from "node:util";
import type { Static } from "@sinclair/typebox";
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { assignments, squadMembers } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import type { Assignment } from "../assignments/rules.js";
import { lockAccount } from "../change/account-lock.js";
import { BeginAgain } from "../change/begin-again.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { groupBy } from "../change/group-by.js";
import { enforceAssignmentQuota, enforceAthleteQuota, enforceMemberQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Member } from "../members/rules.js";
import { permittedNow } from "../permissions/coverage.js";
import {
  type AthleteOf,
  createAthletes,
  findAthletes,
  readAthletes,
  reserveIds,
  stateOfAthletes,
} from "./athletes.js";
import { findDevices } from "./devices.js";
import { keptLater } from "./kept-later.js";
import { limitWith, requireFewLater } from "./later-rows.js";
import { Problems } from "./problems.js";
import { type RosterPlayer, readPlayers } from "./read.js";
import type { RosterOptions, RosterResult } from "./resource.js";
import {
  type Changes,
  type NewAssignment,
  type NewMember,
  noChanges,
  writeAssignments,
  writeMembers,
} from "./write.js";

/**
 * Creates members and assignments from a roster, valid from a given time. Rows that start later are kept, and listed if they differ, or
 * replaced on request. Creates none of them if there is a problem.
 * @throws ServiceError `invalid` with each problem by line, `too_many_later`, `quota_exceeded`, `insufficient_scope`, `concurrent_changes`
 */
export async function importRoster(
  ctx: Context,
  squad: number,
  file: Uint8Array,
  { from: wantedFrom, create = false, replace_later = false }: RosterOptions,
): Promise<Static<typeof RosterResult>> {
  // Personal tokens cannot create accounts.
  if (create && ctx.caller !== null && ctx.caller.scopes !== null) throw errors.insufficientScope(null);
  const unreadable = new Problems();
  const players = readPlayers(file, unreadable);
  const read = (queries: Queries) => readAthletes(queries, ctx.caller?.id ?? 0, ctx.clock.now(), players);
  let known = await read(ctx.queries);
  return change(ctx, "importRoster", { squad }, async (unit, { id: squadId, ownerId }) => {
    const validity = { from: wantedFrom ?? unit.now, replacesLater: replace_later };
    await lockAccount(unit, ownerId);
    const problems = unreadable.copy();
    // A concurrent import may have created the same players. Read them outside of the transaction, because other changes wait for
    // its locks.
    if ((await stateOfAthletes(unit.queries, ownerId)) !== known.state)
      throw new BeginAgain(async (queries) => {
        known = await read(queries);
      });
    const mayCreate = ctx.caller?.canCreateManagedAthletes === true;
    const athletes = findAthletes(known, players, { create, mayCreate }, problems);
    const devices = await findDevices(unit.queries, ownerId, players, problems);
    await requireRights(unit, ownerId, athletes, problems);
    problems.throwIfAny();

    const unknown = [...athletes].flatMap(([player, id]) => (id === null ? [player] : []));
    const created = await reserveIds(unit.queries, unknown);
    const ids = new Map([...athletes].map(([player, id]) => [player, id ?? created.get(player) ?? 0]));
    const members = await memberChanges(unit, squadId, validity, ids);
    const worn = await assignmentChanges(unit, ownerId, validity, ids, devices);
    // Check the quotas first, because the rows of hundreds of athletes would be written only to be rolled back.
    if (created.size > 0) await enforceAthleteQuota(unit, ownerId, created.size);
    await enforceMemberQuota(unit, ownerId, members.added.length);
    await enforceAssignmentQuota(unit, ownerId, worn.added.length);
    await createAthletes(unit, ownerId, created);
    const written = {
      members: await writeMembers(unit, members),
      assignments: await writeAssignments(unit, worn),
    };
    await unit.announce("rosterImported", { ownerId, squadId, ...written });
    return {
      created: {
        athletes: created.size,
        members: members.added.length,
        assignments: worn.added.length,
      },
      changed: { members: members.changed.length, assignments: worn.changed.length },
      unchanged: members.unchanged + worn.unchanged,
      kept_later: await keptLater(unit.queries, members, worn),
    };
  });
}

/** Locks the athletes. The rights therefore do not change until the end of the transaction. */
async function requireRights(
  { queries, now }: UnitOfWork,
  ownerId: number,
  athletes: AthleteOf,
  problems: Problems,
): Promise<void> {
  const known = [...athletes.values()].filter((id) => id !== null);
  const readable = await permittedNow(queries, ownerId, "READ", known, now, { lock: true });
  const writable = await permittedNow(queries, ownerId, "WRITE", known, now);
  for (const [{ name, line, serials }, id] of athletes) {
    if (id === null) continue;
    if (!readable.has(id)) problems.add(line, `You no longer have access to ${name}.`);
    else if (serials.length > 0 && !writable.has(id))
      problems.add(
        line,
        `You may not assign devices to ${name}, who does not let you change data. Ask for this permission, or leave serial empty.`,
      );
  }
}

/** The time from which a roster is valid, and whether it replaces rows that start later. */
interface Validity {
  from: Date;
  replacesLater: boolean;
}

/**
 * Adds rows with the required values from a given time to the changes. A new row ends where the next one starts.
 * @param rows of one athlete or device that end after `from`, in chronological order
 * @param valuesAfter the required values in place of those of a row
 */
function changeFrom<
  Row extends { athleteId: number; startTime: Date; endTime: Date },
  Values extends { athleteId: number },
>(
  changes: Changes<Row, Values & { startTime: Date; endTime: Date }>,
  { from, replacesLater }: Validity,
  player: RosterPlayer,
  rows: readonly Row[],
  valuesAfter: (present: Row | undefined) => Values,
): void {
  const later = rows.filter(({ startTime }) => startTime > from);
  for (const row of later) {
    const wanted = { ...row, ...valuesAfter(row) };
    if (isDeepStrictEqual(wanted, row)) continue;
    if (replacesLater) changes.changed.push({ before: row, after: wanted });
    else changes.keptLater.push({ player, row, wanted });
  }
  const present = rows.find(({ startTime }) => startTime <= from);
  const values = valuesAfter(present);
  if (present !== undefined) {
    const after = { ...present, ...values };
    if (isDeepStrictEqual(after, present)) {
      changes.unchanged++;
      return;
    }
    if (present.startTime.getTime() === from.getTime()) {
      changes.changed.push({ before: present, after });
      return;
    }
    changes.ended.push({ before: present, after: { ...present, endTime: from } });
  }
  const next = later[0]?.startTime ?? CURRENT_END;
  const endTime = present?.athleteId === values.athleteId ? present.endTime : next;
  changes.added.push({ ...values, startTime: from, endTime });
}

async function memberChanges(
  { queries }: UnitOfWork,
  squadId: number,
  validity: Validity,
  athletes: ReadonlyMap<RosterPlayer, number>,
): Promise<Changes<Member, NewMember>> {
  const changes = noChanges<Member, NewMember>();
  if (athletes.size === 0) return changes;
  const rows = await queries
    .select()
    .from(squadMembers)
    .where(
      and(
        eq(squadMembers.squadId, squadId),
        inArray(squadMembers.athleteId, [...athletes.values()]),
        gt(squadMembers.endTime, validity.from),
      ),
    )
    .orderBy(asc(squadMembers.startTime))
    .limit(limitWith(athletes.size));
  requireFewLater("members", rows, validity.from);
  const byAthlete = groupBy(rows, ({ athleteId }) => athleteId);
  for (const [player, athleteId] of athletes) {
    const { number, position, params } = player;
    changeFrom(changes, validity, player, byAthlete.get(athleteId) ?? [], (present) => ({
      squadId,
      athleteId,
      number: number ?? present?.number ?? null,
      position: position ?? present?.position ?? null,
      params: { ...present?.params, ...params },
    }));
  }
  return changes;
}

async function assignmentChanges(
  { queries }: UnitOfWork,
  ownerId: number,
  validity: Validity,
  athletes: ReadonlyMap<RosterPlayer, number>,
  devices: ReadonlyMap<RosterPlayer, readonly number[]>,
): Promise<Changes<Assignment, NewAssignment>> {
  const changes = noChanges<Assignment, NewAssignment>();
  const wanted = [...athletes].flatMap(([player, athleteId]) =>
    (devices.get(player) ?? []).map((deviceId) => ({ player, values: { ownerId, deviceId, athleteId } })),
  );
  if (wanted.length === 0) return changes;
  const deviceIds = [...new Set(wanted.map(({ values }) => values.deviceId))];
  const rows = await queries
    .select()
    .from(assignments)
    .where(
      and(
        eq(assignments.ownerId, ownerId),
        inArray(assignments.deviceId, deviceIds),
        gt(assignments.endTime, validity.from),
      ),
    )
    .orderBy(asc(assignments.startTime))
    .limit(limitWith(deviceIds.length));
  requireFewLater("assignments", rows, validity.from);
  const byDevice = groupBy(rows, ({ deviceId }) => deviceId);
  for (const { player, values } of wanted)
    changeFrom(changes, validity, player, byDevice.get(values.deviceId) ?? [], () => values);
  return changes;
}
