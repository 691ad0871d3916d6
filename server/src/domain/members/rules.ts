import { and, eq, getTableColumns } from "drizzle-orm";
import { squadMembers, squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export type Member = typeof squadMembers.$inferSelect;

/** A member of a squad of another account is not found. */
export const ownMember: Rule<"member", Member> = {
  description: "The manager whose squad it is",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select(getTableColumns(squadMembers))
      .from(squadMembers)
      .innerJoin(squads, eq(squads.id, squadMembers.squadId))
      .where(and(eq(squadMembers.id, ids.member), eq(squads.ownerId, caller?.id ?? 0)));
    const [member] = await (lock ? query.for("update") : query);
    if (member === undefined) throw errors.notFound();
    return member;
  },
};
