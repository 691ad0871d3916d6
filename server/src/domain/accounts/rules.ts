import { and, eq } from "drizzle-orm";
import { refreshTokens } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import { ALL_ROLES, type Rule } from "../change/rule.js";
import { type Account, findAthlete } from "./find.js";

export const thatAthlete: Rule<"athlete", Account> = {
  description: "The athlete",
  roles: ["ATHLETE"],
  async find(ctx, ids, lookup) {
    const athlete = await findAthlete(ids.athlete, lookup);
    if (athlete.id !== ctx.caller?.id) throw errors.forbidden();
    return athlete;
  },
};

export type Session = typeof refreshTokens.$inferSelect;

export const ownSession: Rule<"session", Session> = {
  description: "The user of the session",
  roles: ALL_ROLES,
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select()
      .from(refreshTokens)
      .where(and(eq(refreshTokens.id, ids.session), eq(refreshTokens.accountId, caller?.id ?? 0)));
    const [session] = await (lock ? query.for("update") : query);
    if (session === undefined) throw errors.notFound();
    return session;
  },
};
