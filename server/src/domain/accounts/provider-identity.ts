import { and, eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { identities } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { Account } from "./find.js";

/** Returns the form in which issuers are compared and stored. */
export const normalizedIssuer = (issuer: string): string => new URL(issuer).href;

/** Returns the identity of an account at an issuer, which must be in normalised form. */
export async function identityOf(queries: Queries, accountId: number, issuer: string) {
  const [found] = await queries
    .select()
    .from(identities)
    .where(and(eq(identities.accountId, accountId), eq(identities.issuer, issuer)));
  return found;
}

type Settings = Pick<Context, "queries" | "config">;

/**
 * Whether an account can sign in only with the OpenID provider of the settings, because its roles come from groups of the
 * provider. Otherwise, a user who has left a group would keep its roles by signing in with a password.
 */
export async function dependsOnGroups({ queries, config }: Settings, accountId: number): Promise<boolean> {
  const { openidIssuer, openidRoles } = config;
  if (openidIssuer === null || openidRoles.length === 0) return false;
  return (await identityOf(queries, accountId, normalizedIssuer(openidIssuer))) !== undefined;
}

/** Whether the user of an account can sign in with a password. */
export const usesPassword = async (
  settings: Settings,
  { id, passwordHash }: Pick<Account, "id" | "passwordHash">,
): Promise<boolean> =>
  settings.config.passwordSignIn && passwordHash !== null && !(await dependsOnGroups(settings, id));
