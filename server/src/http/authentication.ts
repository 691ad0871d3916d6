import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Caller } from "../domain/context.js";
import { hashToken } from "../domain/tokens.js";
import { preparedOnce, type Queries } from "../store/database.js";
import { accessTokens, accounts, applications } from "../store/schema.js";

/** RFC 6750 section 2.1; the scheme in any letter case. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

const callerOfToken = preparedOnce((queries) =>
  queries
    .select({
      id: accounts.id,
      role: accounts.role,
      username: accounts.username,
      canCreateManagedAthletes: accounts.canCreateManagedAthletes,
    })
    .from(accessTokens)
    .innerJoin(accounts, eq(accounts.id, accessTokens.accountId))
    .innerJoin(applications, eq(applications.id, accessTokens.applicationId))
    .where(
      and(
        eq(accessTokens.tokenHash, sql.placeholder("tokenHash")),
        gt(accessTokens.expiresAt, sql.placeholder("now")),
        isNull(accounts.disabledAt),
        isNull(applications.revokedAt),
      ),
    )
    .prepare("caller_of_token"),
);

/**
 * Who the request's `Authorization` header stands for.
 * @returns null when the header holds no token that is valid now
 */
export async function authenticate(queries: Queries, now: Date, header: string): Promise<Caller | null> {
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) return null;
  const [caller] = await callerOfToken(queries).execute({ tokenHash: hashToken(token), now });
  return caller ?? null;
}
