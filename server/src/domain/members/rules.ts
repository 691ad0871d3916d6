import { and, eq, getTableColumns } from "drizzle-orm";
import { squadMembers, squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";
import { forEditors, forOwner } from "../squad-roles/narrow-rules.js";
import { isVisibleMember, roleColumn, type View, viewOf } from "../squad-roles/view.js";

export type Member = typeof squadMembers.$inferSelect;

/** A member, and the caller's view of the squad. */
export interface SeenMember {
  member: Member;
  view: View;
  /** Owner of the squad. */
  ownerId: number;
}

/** Finds a member of a squad that the caller can see. */
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

export const ownMember = forOwner(readableMember, "The owner of the squad");

export const editableMember = forEditors(
  readableMember,
  ({ member }) => member.squadId,
  "The owner of the squad, and its analysts",
);
