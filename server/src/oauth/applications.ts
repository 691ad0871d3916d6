import { count, eq, getTableColumns, gt, inArray } from "drizzle-orm";
import { lockAccountByUsername } from "../domain/accounts/find.js";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import { PART_ROWS, type Part, partOf } from "../domain/lists/parts.js";
import { hashToken, newToken } from "../domain/secrets/tokens.js";
import type { Queries } from "../store/connection/database.js";
import { accessTokens, accounts, applications, refreshTokens, type Scope } from "../store/schema.js";
import { DEVICE_GRANT } from "./device-codes.js";
import { PAGE_CLIENT_ID } from "./page-sessions.js";
import { TOKEN_CLIENT_ID } from "./personal-tokens.js";

export interface NewApplication {
  name: string;
  /** Enables the deprecated authorization code flow for these exact addresses. */
  redirectUris: readonly string[];
  /** Enables client credentials instead of all other flows: the application acts for this user, with these rights. */
  machine?: { username: string; scopes: readonly Scope[] };
  /** Enables the flow for devices without a browser instead of all other flows. The application then has no secret. */
  isDevice?: boolean;
}

/**
 * Generates a client id that does not begin with "-", so that a command line does not parse it as an option.
 * @param draw returns random base64url text
 */
export function newClientId(draw: () => string = newToken): string {
  let id = draw();
  while (id.startsWith("-")) id = draw();
  return id;
}

/**
 * Registers an OAuth application.
 * @returns its id and its secret, which is not stored
 * @throws ServiceError `invalid`, and `not_found` without such a user
 */
export async function createApplication(
  ctx: Context,
  { name, redirectUris, machine, isDevice = false }: NewApplication,
) {
  for (const uri of redirectUris) {
    if (!URL.canParse(uri) || uri.includes("#")) {
      throw errors.field(
        "redirect_uri",
        `${uri} is not an absolute URI without fragment (RFC 6749 section 3.1.2).`,
      );
    }
  }
  return transact(ctx, "app create", async (unit) => {
    if (machine !== undefined) {
      const { id, managedBy } = await lockAccountByUsername(unit, machine.username);
      if (managedBy !== null)
        throw errors.field(
          "username",
          "A managed athlete cannot sign in. Create the application for the manager.",
        );
      return insertApplication(unit, {
        name,
        grants: ["client_credentials"],
        accountId: id,
        scopes: [...machine.scopes],
      });
    }
    if (isDevice) return insertApplication(unit, { name, grants: [DEVICE_GRANT] });
    const codes = redirectUris.length > 0 ? ["authorization_code"] : [];
    return insertApplication(unit, {
      name,
      grants: ["password", "refresh_token", ...codes],
      redirectUris: [...redirectUris],
    });
  });
}

type Columns = typeof applications.$inferInsert;

/** Adds an application with a new id and a new secret, which is not stored. */
export async function insertApplication(
  { queries, now, audit }: UnitOfWork,
  columns: Pick<Columns, "name" | "grants" | "accountId" | "scopes"> & { redirectUris?: string[] },
) {
  const clientId = newClientId();
  const clientSecret = newToken();
  const [row] = await queries
    .insert(applications)
    .values({ redirectUris: [], ...columns, clientId, secretHash: hashToken(clientSecret), createdAt: now })
    .returning();
  if (row === undefined) throw new Error("The application was not inserted");
  await audit("application", row.id, null, row);
  return { id: row.id, createdAt: row.createdAt, clientId, clientSecret };
}

/** Returns a part of the list of applications, ordered by id. */
export async function listApplications({ queries }: Context, after: number): Promise<Part<object>> {
  const rows = await queries
    .select({ ...getTableColumns(applications), username: accounts.username })
    .from(applications)
    .leftJoin(accounts, eq(accounts.id, applications.accountId))
    .where(gt(applications.id, after))
    .orderBy(applications.id)
    .limit(PART_ROWS);
  const ids = rows.map(({ id }) => id);
  // Scan the sessions once for all applications.
  const counted = await queries
    .select({ id: refreshTokens.applicationId, sessions: count() })
    .from(refreshTokens)
    .where(inArray(refreshTokens.applicationId, ids))
    .groupBy(refreshTokens.applicationId);
  const sessions = new Map(counted.map((row) => [row.id, row.sessions]));
  return partOf(rows, (row) => ({
    client_id: row.clientId,
    name: row.name,
    grants: row.grants,
    redirect_uris: row.redirectUris,
    user: row.username,
    scopes: row.scopes,
    sessions: sessions.get(row.id) ?? 0,
    created: row.createdAt.toISOString(),
    last_used: row.lastUsedAt?.toISOString() ?? null,
    revoked: row.revokedAt?.toISOString() ?? null,
  }));
}

/** @throws ServiceError `not_found` */
export async function lockApplication(queries: Queries, clientId: string) {
  const [found] = await queries
    .select()
    .from(applications)
    .where(eq(applications.clientId, clientId))
    .for("update");
  if (found === undefined) throw errors.notFound(`There is no application ${clientId}.`);
  return found;
}

/**
 * Replaces the secret of an application. Its sessions continue, but their refresh tokens now need the new secret. The tokens of
 * an application that acts for a user are revoked.
 * @returns the new secret, which is not stored
 * @throws ServiceError `not_found`, `application_revoked`, `no_secret`
 */
export async function rotateSecret(ctx: Context, clientId: string) {
  return transact(ctx, "app rotate-secret", async (unit) => {
    const before = await lockApplication(unit.queries, clientId);
    if (before.revokedAt !== null) {
      throw errors.conflict("application_revoked", `The application ${clientId} is revoked.`);
    }
    if (clientId === PAGE_CLIENT_ID || clientId === TOKEN_CLIENT_ID || before.grants.includes(DEVICE_GRANT)) {
      throw errors.conflict("no_secret", `The application ${clientId} has no secret.`);
    }
    return { name: before.name, clientSecret: await replaceSecret(unit, before) };
  });
}

/** Replaces the secret of an application, whose row must be locked. @returns the new secret, which is not stored */
export async function replaceSecret(
  { queries, audit }: UnitOfWork,
  before: typeof applications.$inferSelect,
): Promise<string> {
  const clientSecret = newToken();
  const secretHash = hashToken(clientSecret);
  await queries.update(applications).set({ secretHash }).where(eq(applications.id, before.id));
  // A token of client credentials may have been obtained with a stolen secret. Sessions of users need their passwords as well.
  if (before.accountId !== null)
    await queries.delete(accessTokens).where(eq(accessTokens.applicationId, before.id));
  await audit("application", before.id, before, { ...before, secretHash, secret: "rotated" });
  return clientSecret;
}
