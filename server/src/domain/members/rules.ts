import { and, eq, getTableColumns } from "drizzle-orm";
import { squadMembers, squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";
import { isVisibleMember, lockView, mayEdit, roleColumn, type View, viewOf } from "../squad-roles/view.js";

export type Member = typeof squadMembers.$inferSelect;

/** A member, and the caller's view of the squad. */
export interface SeenMember {
  member: Member;
  view: View;
  /** Owner of the squad. */
  ownerId: number;
}

/** The object is not found if the caller cannot see the squad. */
export const readableMember: Rule<"member", SeenMember> = {
  description: "The owner of the squad, managers with a role in it, and the athlete",
  roles: ["MANAGER", "ATHLETE"],
  async find(ctx, ids, { queries, lock }) {
    const query = queries
      .select({ member: getTableColumns(squadMembers), ownerId: squads.ownerId, role: roleColumn(ctx) })
      .from(squadMembers)
      .innerJoin(squads, eq(squads.id, squadMembers.squadId))
      .where(and(eq(squadMembers.id, ids.member), isVisibleMember(ctx)));
    const [found] = await (lock ? query.for("update", { of: [squads, squadMembers] }) : query);
    if (found === undefined) throw errors.notFound();
    return { member: found.member, ownerId: found.ownerId, view: viewOf(ctx, found.role) };
  },
};

export const ownMember: Rule<"member", SeenMember> = {
  description: "The owner of the squad",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const found = await readableMember.find(ctx, ids, lookup);
    if (found.view.role !== "owner") throw errors.forbidden();
    return found;
  },
};

export const editableMember: Rule<"member", SeenMember> = {
  description: "The owner of the squad, and its analysts",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const found = await readableMember.find(ctx, ids, lookup);
    const { queries, lock } = lookup;
    const view = lock ? await lockView(queries, ctx, found.member.squadId, found.view) : found.view;
    if (!mayEdit(view)) throw errors.forbidden();
    return { ...found, view };
  },
};
