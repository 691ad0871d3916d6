import { and, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import { refreshTokens } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { ALL_ROLES, type Lookup, type Rule } from "../change/rule.js";
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

/** A session of the page or of an application, or a personal token. */
const ownSessions = ({ caller }: Context, id: number, { queries, lock }: Lookup, isOfKind: SQL) => {
  const query = queries
    .select()
    .from(refreshTokens)
    .where(and(eq(refreshTokens.id, id), eq(refreshTokens.accountId, caller?.id ?? 0), isOfKind));
  return lock ? query.for("update") : query;
};

export const ownPageSession: Rule<"page_session", Session> = {
  description: "The user whose session it is",
  roles: ALL_ROLES,
  async find(ctx, ids, lookup) {
    const [session] = await ownSessions(ctx, ids.page_session, lookup, isNull(refreshTokens.name));
    if (session === undefined) throw errors.notFound();
    return session;
  },
};

export const ownPersonalToken: Rule<"token", Session> = {
  description: "The user whose token it is",
  roles: ALL_ROLES,
  async find(ctx, ids, lookup) {
    const [token] = await ownSessions(ctx, ids.token, lookup, isNotNull(refreshTokens.name));
    if (token === undefined) throw errors.notFound();
    return token;
  },
};
