import { and, eq } from "drizzle-orm";
import { squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export type Squad = typeof squads.$inferSelect;

/** A squad of another account is not found. */
export const ownSquad: Rule<"squad", Squad> = {
  description: "The manager whose squad it is",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select()
      .from(squads)
      .where(and(eq(squads.id, ids.squad), eq(squads.ownerId, caller?.id ?? 0)));
    const [squad] = await (lock ? query.for("no key update") : query);
    if (squad === undefined) throw errors.notFound();
    return squad;
  },
};
