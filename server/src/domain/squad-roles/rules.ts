import { and, eq, getTableColumns } from "drizzle-orm";
import { squadGrants, squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";
import { forOwner } from "./narrow-rules.js";
import { isVisibleSquad, roleColumn, type View, viewOf } from "./view.js";

export type Squad = typeof squads.$inferSelect;

/** A squad, and the caller's view of it. */
export type SeenSquad = Squad & { view: View };

/** Finds a squad that the caller can see. */
export const readableSquad: Rule<"squad", SeenSquad> = {
  description: "The owner of the squad, managers with a role in it, and its athletes",
  roles: ["MANAGER", "ATHLETE"],
  async find(ctx, ids, { queries, lock }) {
    const query = queries
      .select({ ...getTableColumns(squads), role: roleColumn(ctx) })
      .from(squads)
      .where(and(eq(squads.id, ids.squad), isVisibleSquad(ctx)));
    const [squad] = await (lock ? query.for("no key update", { of: squads }) : query);
    if (squad === undefined) throw errors.notFound();
    const { role, ...columns } = squad;
    return { ...columns, view: viewOf(ctx, role) };
  },
};

const seenByOwner = forOwner(readableSquad, "The manager who owns the squad");

export const ownSquad: Rule<"squad", Squad> = {
  ...seenByOwner,
  async find(ctx, ids, lookup) {
    const { view: _, ...squad } = await seenByOwner.find(ctx, ids, lookup);
    return squad;
  },
};

export type Grant = typeof squadGrants.$inferSelect;

/** A grant of the squad of the path. */
export const ownGrant: Rule<"squad" | "grant", Grant> = {
  ...ownSquad,
  async find(ctx, ids, lookup) {
    const squad = await ownSquad.find(ctx, ids, lookup);
    const query = lookup.queries
      .select()
      .from(squadGrants)
      .where(and(eq(squadGrants.id, ids.grant), eq(squadGrants.squadId, squad.id)));
    const [grant] = await (lookup.lock ? query.for("update") : query);
    if (grant === undefined) throw errors.notFound();
    return grant;
  },
};

/** Finds only invitations of the caller. */
export const ownInvitation: Rule<"invitation", Grant> = {
  description: "The manager who is invited",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select(getTableColumns(squadGrants))
      .from(squadGrants)
      .innerJoin(squads, eq(squads.id, squadGrants.squadId))
      .where(and(eq(squadGrants.id, ids.invitation), eq(squadGrants.guestId, caller?.id ?? 0)));
    // Locks the squad first, in the same order as its deletion. The lock also prevents two invitations from being
    // accepted at the same time.
    const [grant] = await (lock ? query.for("update", { of: [squads, squadGrants] }) : query);
    if (grant === undefined) throw errors.notFound();
    return grant;
  },
};
