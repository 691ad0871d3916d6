import { isDeepStrictEqual } from "node:util";
import { parameterProblems } from "asi-convert/metrics";
import { and, eq, ne, sql } from "drizzle-orm";
import { squadMembers } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceMemberQuota, QuotaExceeded } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { isValidBetween } from "../lists/times.js";
import { permittedNow } from "../permissions/coverage.js";
import { lockEditableSquad } from "../squad-roles/editable.js";
import { isHeartKey } from "../squad-roles/heart.js";
import type { View } from "../squad-roles/view.js";
import { type MemberChange, memberItem, type NewMember } from "./resource.js";
import type { Member } from "./rules.js";

/** Maximum number of rows of one athlete in one squad. */
const MAX_MEMBERSHIPS = 100;

/** @throws ServiceError `invalid`, `forbidden`, `member_overlaps`, `quota_exceeded` */
export async function createMember(ctx: Context, body: NewMember) {
  return change(ctx, "createMember", {}, (unit) => addMember(ctx, unit, body));
}

async function addMember(ctx: Context, unit: UnitOfWork, body: NewMember) {
  const { queries, now } = unit;
  // Run requests for a squad one after another, because two memberships of an athlete must not overlap.
  const { id: squadId, ownerId, view } = await lockEditableSquad(ctx, unit, body.squad);
  if (view.role !== "owner") throw errors.forbidden("Only the owner of the squad can add players.");
  const readable = await permittedNow(queries, ownerId, "READ", [body.athlete], now, { lock: true });
  if (!readable.has(body.athlete))
    throw errors.field("athlete", "There is no athlete with this id whom the owner of the squad may read.");
  const row = {
    squadId,
    athleteId: body.athlete,
    number: body.number ?? null,
    position: body.position ?? null,
    params: body.params ?? {},
    startTime: body.start_time,
    endTime: body.end_time ?? CURRENT_END,
  };
  return memberItem(await add(unit, ownerId, row), view);
}

/**
 * Changes the fields sent, for the whole membership or from a given time.
 * @returns the member with the changed values: one that follows if they are valid from a later time
 * @throws ServiceError `invalid`, `forbidden`, `member_overlaps`, `quota_exceeded`
 */
export async function updateMember(ctx: Context, member: number, body: MemberChange) {
  return change(
    ctx,
    "updateMember",
    { member },
    async (unit, { member: before, view, ownerId }) => {
      requireNoHeart(view, body.params);
      requireTimes(view, before, body);
      const row = {
        ...before,
        number: body.number === undefined ? before.number : body.number,
        position: body.position === undefined ? before.position : body.position,
        params:
          body.params === undefined ? before.params : { ...keptOf(view, before.params), ...body.params },
        startTime: body.start_time ?? before.startTime,
        endTime: body.end_time ?? before.endTime,
      };
      const { from } = body;
      const after =
        from === undefined || from <= before.startTime
          ? await replace(unit, ownerId, before, row)
          : await splitAt(unit, ownerId, before, { ...row, startTime: from });
      return memberItem(after, view);
    },
    (_unit, { member, view }) => memberItem(member, view),
  );
}

/**
 * Checks a change to the times of a player in a squad. The times decide which days of the player the guests of the squad see, so
 * only the owner sets them, and a change from a given time keeps their union.
 * @throws ServiceError `forbidden`; `invalid` on the field `from`
 */
function requireTimes({ role }: View, before: Member, { from, start_time, end_time }: MemberChange): void {
  const sets = (sent: Date | undefined, present: Date) =>
    sent !== undefined && sent.getTime() !== present.getTime();
  if (role !== "owner" && (sets(start_time, before.startTime) || sets(end_time, before.endTime)))
    throw errors.forbidden("Only the owner of the squad can change the times of a player.");
  if (from === undefined) return;
  if (start_time !== undefined || end_time !== undefined)
    throw errors.field(
      "from",
      "Cannot be sent together with the times of the player. Send them in another request.",
    );
  if (from >= before.endTime) throw errors.field("from", "Must be before the end of the membership.");
}

/** Changes a row of a member. */
async function replace(unit: UnitOfWork, ownerId: number, before: Member, row: Member): Promise<Member> {
  await check(unit, row, before.id);
  const { id, version: _, ...columns } = row;
  const [after] = await unit.queries
    .update(squadMembers)
    .set({ ...columns, version: sql`${squadMembers.version} + 1` })
    .where(eq(squadMembers.id, id))
    .returning();
  if (after === undefined) throw errors.notFound();
  await unit.announce("memberChanged", { ownerId, before, after });
  return after;
}

/** Returns the values of a row that describe the athlete. */
const valuesOf = ({ number, position, params }: Omit<Member, "id" | "version">) => ({
  number,
  position,
  params,
});

/**
 * Ends a row of a member where other values start for its remaining time: in the row that follows if it has the same values,
 * otherwise in a new one.
 */
async function splitAt(
  unit: UnitOfWork,
  ownerId: number,
  before: Member,
  { id: _, version: __, ...columns }: Member,
): Promise<Member> {
  const { startTime, squadId, athleteId, endTime } = columns;
  if (isDeepStrictEqual(valuesOf(columns), valuesOf(before))) return before;
  await replace(unit, ownerId, before, { ...before, endTime: startTime });
  const [next] = await unit.queries
    .select()
    .from(squadMembers)
    .where(and(isOf(squadId, athleteId), eq(squadMembers.startTime, endTime)));
  return next !== undefined && isDeepStrictEqual(valuesOf(columns), valuesOf(next))
    ? replace(unit, ownerId, next, { ...next, startTime })
    : add(unit, ownerId, columns);
}

const isOf = (squadId: number, athleteId: number) =>
  and(eq(squadMembers.squadId, squadId), eq(squadMembers.athleteId, athleteId));

/**
 * Adds a row of a member.
 * @throws QuotaExceeded also if the athlete has too many rows, so that an analyst cannot use up the quota of the owner with one player
 */
async function add(unit: UnitOfWork, ownerId: number, row: Omit<Member, "id" | "version">): Promise<Member> {
  await check(unit, row);
  if ((await unit.queries.$count(squadMembers, isOf(row.squadId, row.athleteId))) >= MAX_MEMBERSHIPS)
    throw new QuotaExceeded(
      `An athlete has at most ${MAX_MEMBERSHIPS} memberships in a squad. Change one of them, or delete some first.`,
    );
  const [after] = await unit.queries.insert(squadMembers).values(row).returning();
  if (after === undefined) throw new Error("The member was not inserted");
  await enforceMemberQuota(unit, ownerId);
  await unit.announce("memberChanged", { ownerId, before: null, after });
  return after;
}

export async function deleteMember(ctx: Context, member: number): Promise<void> {
  await change(
    ctx,
    "deleteMember",
    { member },
    async ({ queries, announce }, { member: before, ownerId }) => {
      await queries.delete(squadMembers).where(eq(squadMembers.id, before.id));
      await announce("memberChanged", { ownerId, before, after: null });
    },
    (_unit, { member, view }) => memberItem(member, view),
  );
}

/** Returns the problem, if any, of a combination of thresholds that are individually within their limits. */
export const thresholdsProblem = ({
  hid_thresholds,
}: {
  hid_thresholds?: readonly [number, number] | undefined;
}) =>
  // Thresholds of one sport. Only thresholds of the same sport depend on each other.
  hid_thresholds === undefined ? undefined : parameterProblems("soccer", { hid_thresholds })[0];

/** Returns the heart-rate thresholds, which are kept when a caller who cannot see them changes the others. */
const keptOf = ({ hasHeart }: View, params: Record<string, unknown>) =>
  hasHeart ? {} : Object.fromEntries(Object.entries(params).filter(([key]) => isHeartKey(key)));

function requireNoHeart({ hasHeart }: View, params: NewMember["params"]): void {
  const key = hasHeart ? undefined : Object.keys(params ?? {}).find(isHeartKey);
  if (key !== undefined)
    throw errors.invalid({
      params: { [key]: ["Only the owner of the squad can set this threshold. Leave it out."] },
    });
}

/**
 * Checks the thresholds, and that the athlete is not a member twice at any time.
 * @param id id of a member that changes; absent for a new one
 */
async function check({ queries }: UnitOfWork, member: Omit<Member, "id" | "version">, id = 0): Promise<void> {
  const { squadId, athleteId, startTime, endTime, params } = member;
  if (endTime <= startTime) throw errors.field("end_time", "Must be after start_time.");
  const { hid_thresholds } = params as NonNullable<NewMember["params"]>;
  const problem = thresholdsProblem({ hid_thresholds: hid_thresholds as [number, number] | undefined });
  if (problem !== undefined) throw errors.invalid({ params: { [problem.parameter]: [problem.message] } });
  const [other] = await queries
    .select({ id: squadMembers.id })
    .from(squadMembers)
    .where(
      and(
        isOf(squadId, athleteId),
        ne(squadMembers.id, id),
        isValidBetween(squadMembers, startTime, endTime),
      ),
    )
    .limit(1);
  if (other !== undefined) {
    throw errors.conflict(
      "member_overlaps",
      `The athlete is already a member at this time, with the id ${other.id}. End that membership first.`,
    );
  }
}
