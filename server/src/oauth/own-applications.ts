import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { confirmPassword, OwnPassword } from "../domain/accounts/credential-changes.js";
import type { Application as ApplicationRow } from "../domain/accounts/rules.js";
import { change } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { enforceApplicationQuota } from "../domain/change/quotas.js";
import { cursorPage } from "../domain/lists/cursor-page.js";
import { applications } from "../store/schema.js";
import { CursorQuery } from "../wire/cursor.js";
import { DateTimeOut, Id, Nullable, Text } from "../wire/types.js";
import { insertApplication, replaceSecret } from "./applications.js";
import { isGrantValid, sessionOf } from "./issue-tokens.js";
import { Scopes } from "./personal-tokens.js";

const item = {
  id: Id(),
  name: Type.String(),
  client_id: Type.String(),
  scopes: Scopes,
  created_at: DateTimeOut(),
  last_used_at: Nullable(
    DateTimeOut({ description: "Time of the last use, accurate to an hour; null before the first use" }),
  ),
};

const shown = {
  id: 3,
  name: "Warehouse",
  client_id: "kW3nXw0b7yQ2Jx5m0TqfT9s2Yc8RkW3nXw0b7yQ2Jx5",
  scopes: ["samples:read" as const],
  created_at: "2024-01-01T06:00:00.000Z",
  last_used_at: "2024-01-02T02:00:00.000Z",
};

/** An application that acts for its manager with client credentials (RFC 6749 section 4.4), without its secret. */
export const Application = Type.Object(item, { $id: "Application", examples: [shown] });

export const NewApplication = Type.Object(
  {
    ...item,
    client_secret: Type.String({ description: "The secret. It is not stored, and not shown again." }),
  },
  {
    $id: "NewApplication",
    examples: [
      { ...shown, last_used_at: null, client_secret: "Jx5m0TqfT9s2Yc8RkW3nXw0b7yQ2Jx5m0TqfT9s2Yc8" },
    ],
  },
);

export const ApplicationInput = Type.Object(
  {
    name: Text({ minLength: 1, maxLength: 100, description: "Purpose of the application" }),
    scopes: Scopes,
    password: OwnPassword("Your password, because the token of this request may be stolen"),
  },
  { examples: [{ name: shown.name, scopes: shown.scopes, password: "a long passphrase" }] },
);

export const SecretInput = Type.Object(
  { password: OwnPassword("Your password, because the token of this request may be stolen") },
  { examples: [{ password: "a long passphrase" }] },
);

export const ApplicationFilters = Type.Object(CursorQuery);

type Row = Pick<ApplicationRow, "id" | "name" | "clientId" | "scopes" | "createdAt" | "lastUsedAt">;

const toApplication = ({
  id,
  name,
  clientId,
  scopes,
  createdAt,
  lastUsedAt,
}: Row): Static<typeof Application> => ({
  id,
  name,
  client_id: clientId,
  scopes: scopes ?? [],
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

/** Returns the applications that act for the caller, including those that the operator has created, oldest first. */
export async function listOwnApplications(
  { queries, caller }: Context,
  paging: StaticDecode<typeof ApplicationFilters>,
) {
  return cursorPage(paging, toApplication, (after, limit) =>
    queries
      .select()
      .from(applications)
      .where(
        and(
          eq(applications.accountId, caller?.id ?? 0),
          isNull(applications.revokedAt),
          gt(applications.id, after),
        ),
      )
      .orderBy(asc(applications.id))
      .limit(limit),
  );
}

/**
 * Creates an application that acts for the caller.
 * @throws ServiceError `wrong_password`, `password_required`, `sign_in_again`, `throttled`, `quota_exceeded`
 */
export async function createOwnApplication(
  ctx: Context,
  { name, scopes, password }: StaticDecode<typeof ApplicationInput>,
): Promise<Static<typeof NewApplication>> {
  await confirmPassword(ctx, password);
  return change(ctx, "createApplication", {}, async (unit) => {
    const accountId = ctx.caller?.id ?? 0;
    const created = await insertApplication(unit, {
      name,
      grants: ["client_credentials"],
      accountId,
      scopes: [...scopes],
    });
    // The password or the session may have changed since; this also locks the account.
    const parties = { accountId, applicationId: created.id };
    if (!(await isGrantValid(unit, parties, sessionOf(ctx)))) throw errors.unauthenticated(true);
    await enforceApplicationQuota(unit, accountId);
    return {
      ...toApplication({ ...created, name, scopes, lastUsedAt: null }),
      client_secret: created.clientSecret,
    };
  });
}

/**
 * Replaces the secret of an application of the caller. The previous secret and its tokens are invalid immediately, because a secret
 * is usually replaced when others may know it.
 * @throws ServiceError `wrong_password`, `password_required`, `sign_in_again`, `throttled`
 */
export async function replaceOwnSecret(
  ctx: Context,
  application: number,
  { password }: StaticDecode<typeof SecretInput>,
): Promise<Static<typeof NewApplication>> {
  await confirmPassword(ctx, password);
  return change(ctx, "replaceApplicationSecret", { application }, async (unit, before) => {
    const parties = { accountId: ctx.caller?.id ?? 0, applicationId: before.id };
    if (!(await isGrantValid(unit, parties, sessionOf(ctx)))) throw errors.unauthenticated(true);
    return { ...toApplication(before), client_secret: await replaceSecret(unit, before) };
  });
}

/** Deletes an application of the caller with its tokens, which are invalid immediately. */
export async function deleteOwnApplication(ctx: Context, application: number): Promise<void> {
  await change(ctx, "deleteApplication", { application }, async ({ queries, audit }, before) => {
    await queries.delete(applications).where(eq(applications.id, before.id));
    await audit("application", before.id, before, null);
  });
}
