import { and, eq, gt } from "drizzle-orm";
import {
  assignments,
  auditLog,
  permissions,
  squadGrants,
  squadMembers,
  squads,
  timeframes,
} from "../../store/schema.js";
import { relationsTo } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { type ResponsesNaming, responsesAbout, responsesToCreation } from "../accounts/stored-responses.js";
import type { Context } from "../change/context.js";
import { IDEMPOTENCY_LIFETIME_MS } from "../change/idempotency.js";

type Athlete = Pick<Account, "id" | "username" | "managedBy">;

/**
 * Finds the responses with data of an athlete that are stored for idempotency keys of other accounts. Call it, and erase them in parts,
 * before the time frames, the permissions and the values in the audit log are deleted, because these show whose responses they are.
 */
export async function responsesOf(
  ctx: Context,
  athlete: Athlete,
): Promise<Pick<ResponsesNaming, "eraseInParts" | "eraseRest">> {
  const all = [responsesAbout(athlete, await managersOf(ctx, athlete)), responsesToCreation(athlete)];
  return {
    async eraseInParts(run) {
      for (const some of all) await some.eraseInParts(run);
    },
    async eraseRest(unit) {
      for (const some of all) await some.eraseRest(unit);
    },
  };
}

/**
 * Returns the managers whose stored responses may contain the id of an athlete: managers with time frames, permissions or
 * assignments of the athlete, the owners and guests of the athlete's squads, and accounts that have changed such rows while
 * responses are kept, because the rows may have been deleted since.
 */
async function managersOf({ queries, clock }: Context, { id, managedBy }: Athlete): Promise<number[]> {
  const owners = await queries
    .selectDistinct({ id: timeframes.ownerId })
    .from(timeframes)
    .where(eq(timeframes.athleteId, id));
  const readers = await queries
    .selectDistinct({ id: permissions.managerId })
    .from(permissions)
    .where(eq(permissions.athleteId, id));
  const assigning = await queries
    .selectDistinct({ id: assignments.ownerId })
    .from(assignments)
    .where(eq(assignments.athleteId, id));
  const isMember = eq(squadMembers.athleteId, id);
  const squadOwners = await queries
    .selectDistinct({ id: squads.ownerId })
    .from(squadMembers)
    .innerJoin(squads, eq(squads.id, squadMembers.squadId))
    .where(isMember);
  const guests = await queries
    .selectDistinct({ id: squadGrants.guestId })
    .from(squadMembers)
    .innerJoin(squadGrants, eq(squadGrants.squadId, squadMembers.squadId))
    .where(isMember);
  const since = new Date(clock.now().getTime() - IDEMPOTENCY_LIFETIME_MS);
  const changing = await queries
    .selectDistinct({ id: auditLog.accountId })
    .from(auditLog)
    .where(and(relationsTo(id).names, gt(auditLog.at, since)));
  const all = [
    ...owners,
    ...readers,
    ...assigning,
    ...squadOwners,
    ...guests,
    ...changing,
    { id: managedBy },
  ];
  return [...new Set(all.flatMap((manager) => manager.id ?? []))];
}
