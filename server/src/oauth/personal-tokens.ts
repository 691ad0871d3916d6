import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, gt, isNotNull, isNull, lte, or } from "drizzle-orm";
import { confirmPassword, OwnPassword } from "../domain/accounts/credential-changes.js";
import { change } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { enforceTokenQuota } from "../domain/change/quotas.js";
import { SCOPE_NAMES, SCOPES } from "../domain/change/scopes.js";
import { cursorPage } from "../domain/lists/cursor-page.js";
import { hashToken, newToken } from "../domain/secrets/tokens.js";
import type { Queries } from "../store/connection/database.js";
import { accessTokens, applications, refreshTokens, type Scope } from "../store/schema.js";
import { CursorQuery } from "../wire/cursor.js";
import { DateTimeOut, Id, Text } from "../wire/types.js";
import { isGrantValid, sessionOf } from "./issue-tokens.js";
import { findApplication } from "./model.js";
import { deleteSession, insertSession } from "./stored-sessions.js";

/** Application of personal tokens, added by a migration. */
export const TOKEN_CLIENT_ID = "asi-token";

const MAX_NAME = 100;
const DAY_MS = 86_400_000;
/** Longest lifetime of a personal token, days. */
const MAX_LIFETIME_DAYS = 366;

const example = { name: "Warehouse", scopes: ["samples:read"] } satisfies { name: string; scopes: Scope[] };

/** Scopes of a token or an application. */
export const Scopes = Type.Array(
  Type.Unsafe<Scope>(Type.Union(SCOPE_NAMES.map((scope) => Type.Literal(scope)))),
  {
    minItems: 1,
    uniqueItems: true,
    description: SCOPE_NAMES.map((scope) => `\`${scope}\`: ${SCOPES[scope]}`).join("; "),
  },
);

const item = {
  id: Id(),
  name: Type.String(),
  scopes: Scopes,
  created_at: DateTimeOut(),
  last_used_at: DateTimeOut({
    description: "Time of the last use, accurate to an hour; the time of creation before the first use",
  }),
  expires_at: DateTimeOut(),
};

const shown = {
  id: 3,
  ...example,
  created_at: "2024-01-01T06:00:00.000Z",
  last_used_at: "2024-01-02T02:00:00.000Z",
  expires_at: "2024-12-31T06:00:00.000Z",
};

/** A personal token as the API lists it, without its secret. */
export const PersonalToken = Type.Object(item, { $id: "PersonalToken", examples: [shown] });

export const NewPersonalToken = Type.Object(
  {
    ...item,
    token: Type.String({ description: "The access token. It is not stored, and not shown again." }),
  },
  {
    $id: "NewPersonalToken",
    examples: [
      { ...shown, last_used_at: shown.created_at, token: "kW3nXw0b7yQ2Jx5m0TqfT9s2Yc8RkW3nXw0b7yQ2Jx5" },
    ],
  },
);

export const PersonalTokenInput = Type.Object(
  {
    name: Text({ minLength: 1, maxLength: MAX_NAME, description: "Purpose of the token" }),
    scopes: Scopes,
    valid_days: Type.Integer({
      minimum: 1,
      maximum: MAX_LIFETIME_DAYS,
      description: "Days until the token ends",
    }),
    password: OwnPassword("Your password, because the token of this request may be stolen"),
  },
  { examples: [{ ...example, valid_days: 365, password: "a long passphrase" }] },
);

export const PersonalTokenFilters = Type.Object(CursorQuery);

interface Row {
  id: number;
  name: string | null;
  scopes: Scope[] | null;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date | null;
}

const toPersonalToken = (row: Row): Static<typeof PersonalToken> => ({
  id: row.id,
  name: row.name ?? "",
  scopes: row.scopes ?? [],
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt.toISOString(),
  expires_at: (row.expiresAt ?? row.createdAt).toISOString(),
});

/** Lists the caller's tokens that have not expired, oldest first. */
export async function listPersonalTokens(
  { queries, caller, clock }: Context,
  paging: StaticDecode<typeof PersonalTokenFilters>,
) {
  return cursorPage(paging, toPersonalToken, (after, limit) =>
    queries
      .select({
        id: refreshTokens.id,
        name: refreshTokens.name,
        scopes: accessTokens.scopes,
        createdAt: refreshTokens.createdAt,
        lastUsedAt: refreshTokens.lastUsedAt,
        expiresAt: refreshTokens.expiresAt,
      })
      .from(refreshTokens)
      .innerJoin(accessTokens, eq(accessTokens.refreshHash, refreshTokens.tokenHash))
      .where(
        and(
          eq(refreshTokens.accountId, caller?.id ?? 0),
          isNotNull(refreshTokens.name),
          gt(refreshTokens.expiresAt, clock.now()),
          gt(refreshTokens.id, after),
        ),
      )
      .orderBy(asc(refreshTokens.id))
      .limit(limit),
  );
}

/**
 * Creates a token with some of the rights of the caller. Like a session, it ends when it is deleted, when the password changes,
 * or when the account is deleted.
 * @throws ServiceError `wrong_password`, `throttled`, `quota_exceeded`, and `gone` if the operator has revoked the application of
 *   personal tokens
 */
export async function createPersonalToken(
  ctx: Context,
  { name, scopes, valid_days: validDays, password }: StaticDecode<typeof PersonalTokenInput>,
): Promise<Static<typeof NewPersonalToken>> {
  const application = await findApplication(ctx, TOKEN_CLIENT_ID);
  if (application === undefined) throw errors.gone("Personal tokens are disabled.");
  await confirmPassword(ctx, password);
  const token = newToken();
  return change(ctx, "createPersonalToken", {}, async (unit) => {
    const accountId = ctx.caller?.id ?? 0;
    const parties = { accountId, applicationId: application.id };
    if (!(await isGrantValid(unit, parties, sessionOf(ctx)))) throw errors.unauthenticated(true);
    const expiresAt = new Date(unit.now.getTime() + validDays * DAY_MS);
    const row = await insertSession(unit, parties, {
      accessHash: hashToken(token),
      expiresAt,
      personal: { name, scopes },
    });
    await enforceTokenQuota(unit, accountId);
    await unit.audit("account", accountId, null, { token: "created", name, scopes, expires_at: expiresAt });
    return { ...toPersonalToken({ ...row, scopes }), token };
  });
}

/** Deletes a token of the caller, which is invalid immediately. */
export async function deletePersonalToken(ctx: Context, token: number): Promise<void> {
  await change(ctx, "deletePersonalToken", { token }, async (unit, row) => {
    await deleteSession(unit, row.tokenHash);
    await unit.audit("account", row.accountId, null, { token: "deleted", name: row.name });
  });
}

/** Time for which further uses are not recorded. */
export const USE_NOTED_MS = 3_600_000;

/** Records the use of a personal token, or of an application that acts for a user. */
export async function noteUse(queries: Queries, tokenHash: Uint8Array, now: Date): Promise<void> {
  const [own] = await queries
    .select({ refreshHash: accessTokens.refreshHash, applicationId: accessTokens.applicationId })
    .from(accessTokens)
    .where(eq(accessTokens.tokenHash, tokenHash));
  if (own?.refreshHash != null)
    await queries
      .update(refreshTokens)
      .set({ lastUsedAt: now })
      .where(eq(refreshTokens.tokenHash, own.refreshHash));
  else if (own !== undefined)
    // A program may request a token for each call, so the time of the application is compared instead of the time of the token.
    await queries
      .update(applications)
      .set({ lastUsedAt: now })
      .where(
        and(
          eq(applications.id, own.applicationId),
          or(
            isNull(applications.lastUsedAt),
            lte(applications.lastUsedAt, new Date(now.getTime() - USE_NOTED_MS)),
          ),
        ),
      );
}
