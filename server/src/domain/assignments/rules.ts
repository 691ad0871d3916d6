import { and, eq } from "drizzle-orm";
import { assignments } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export type Assignment = typeof assignments.$inferSelect;

/** Finds only assignments of the caller. */
export const ownAssignment: Rule<"assignment", Assignment> = {
  description: "The manager who made the assignment",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select()
      .from(assignments)
      .where(and(eq(assignments.id, ids.assignment), eq(assignments.ownerId, caller?.id ?? 0)));
    const [assignment] = await (lock ? query.for("update") : query);
    if (assignment === undefined) throw errors.notFound();
    return assignment;
  },
};
