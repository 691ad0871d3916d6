import { and, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import { applications, refreshTokens } from "../../store/schema.js";
import { lockAccount } from "../change/account-lock.js";
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

/** Finds a session of the page or of an application, or a personal token. */
const ownSessions = ({ caller }: Context, id: number, { queries, lock }: Lookup, isOfKind: SQL) => {
  const query = queries
    .select()
    .from(refreshTokens)
    .where(and(eq(refreshTokens.id, id), eq(refreshTokens.accountId, caller?.id ?? 0), isOfKind));
  return lock ? query.for("update") : query;
};

export const ownPageSession: Rule<"page_session", Session> = {
  description: "The user who owns the session",
  roles: ALL_ROLES,
  async find(ctx, ids, lookup) {
    const [session] = await ownSessions(ctx, ids.page_session, lookup, isNull(refreshTokens.name));
    if (session === undefined) throw errors.notFound();
    return session;
  },
};

export const ownPersonalToken: Rule<"token", Session> = {
  description: "The user who owns the token",
  roles: ALL_ROLES,
  async find(ctx, ids, lookup) {
    const [token] = await ownSessions(ctx, ids.token, lookup, isNotNull(refreshTokens.name));
    if (token === undefined) throw errors.notFound();
    return token;
  },
};

export type Application = typeof applications.$inferSelect;

/** An application that acts for the caller. */
export const ownApplication: Rule<"application", Application> = {
  description: "The manager for whom the application acts",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    // Issuing a token locks the account before the application, see `isGrantValid`.
    if (lock) await lockAccount({ queries }, caller?.id ?? 0);
    const query = queries
      .select()
      .from(applications)
      .where(
        and(
          eq(applications.id, ids.application),
          eq(applications.accountId, caller?.id ?? 0),
          isNull(applications.revokedAt),
        ),
      );
    const [application] = await (lock ? query.for("update") : query);
    if (application === undefined) throw errors.notFound();
    return application;
  },
};
