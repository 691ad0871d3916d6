import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { accounts, squadGrants } from "../../store/schema.js";
import { usernameKey } from "../accounts/usernames.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceInvitationQuota } from "../change/quotas.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { selectInvitations } from "./list.js";
import { type NewGrant, toGrant, toInvitation } from "./resource.js";
import type { Grant } from "./rules.js";

/**
 * Invites a manager to a squad. The result is the same for an unknown username, so nobody can enumerate names.
 * @throws ServiceError `invalid`, `quota_exceeded`
 */
export async function createGrant(ctx: Context, squad: number, { username, role }: NewGrant) {
  return change(ctx, "createSquadGrant", { squad }, async (unit, { id: squadId, ownerId }) => {
    const { queries, now } = unit;
    const [guest] = await queries
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.usernameKey, usernameKey(username.trim())), eq(accounts.role, "MANAGER")))
      .for("key share");
    if (guest?.id === ownerId) throw errors.field("username", "You already own the squad.");
    // An earlier invitation would let the guest choose, and would remain after the owner ends the role. The name is compared, because
    // the list of invitations would otherwise show which names exist.
    const open = await queries
      .select()
      .from(squadGrants)
      .where(and(eq(squadGrants.squadId, squadId), isNull(squadGrants.acceptedAt)));
    for (const earlier of open)
      if (usernameKey(earlier.username) === usernameKey(username.trim())) await remove(unit, earlier);
    const [after] = await queries
      .insert(squadGrants)
      .values({ squadId, guestId: guest?.id ?? null, username: username.trim(), role, createdAt: now })
      .returning();
    if (after === undefined) throw new Error("The invitation was not inserted");
    await enforceInvitationQuota(unit, ownerId);
    await unit.announce("squadGrantChanged", { before: null, after });
    return toGrant(after);
  });
}

/** Ends a role or an open invitation, for the owner of the squad. */
export const deleteGrant = (ctx: Context, squad: number, grant: number): Promise<void> =>
  change(ctx, "deleteSquadGrant", { squad, grant }, remove);

/** Declines an invitation or leaves the squad, for the invited manager. */
export const deleteInvitation = (ctx: Context, invitation: number): Promise<void> =>
  change(ctx, "deleteInvitation", { invitation }, remove);

async function remove({ queries, announce }: UnitOfWork, before: Grant): Promise<void> {
  await queries.delete(squadGrants).where(eq(squadGrants.id, before.id));
  await announce("squadGrantChanged", { before, after: null });
}

/** Accepts an invitation. It replaces an earlier role and other invitations in the same squad. */
export async function acceptInvitation(ctx: Context, invitation: number) {
  return change(ctx, "acceptInvitation", { invitation }, async (unit, before) => {
    const { queries, now } = unit;
    if (before.acceptedAt === null) {
      const others = await queries
        .select()
        .from(squadGrants)
        .where(
          and(
            eq(squadGrants.squadId, before.squadId),
            eq(squadGrants.guestId, ctx.caller?.id ?? 0),
            ne(squadGrants.id, before.id),
          ),
        );
      for (const other of others) await remove(unit, other);
      const [after] = await queries
        .update(squadGrants)
        .set({ acceptedAt: now, version: sql`${squadGrants.version} + 1` })
        .where(eq(squadGrants.id, before.id))
        .returning();
      if (after === undefined) throw errors.notFound();
      await unit.announce("squadGrantChanged", { before, after });
    }
    const [row] = await selectInvitations(queries).where(eq(squadGrants.id, before.id));
    if (row === undefined) throw errors.notFound();
    return toInvitation(row);
  });
}
