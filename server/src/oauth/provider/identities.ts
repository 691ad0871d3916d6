import { type Static, Type } from "@sinclair/typebox";
import { and, asc, eq } from "drizzle-orm";
import { type Account, lockAccountByUsername } from "../../domain/accounts/find.js";
import {
  dependsOnGroups,
  identityOf,
  normalizedIssuer,
  usesPassword,
} from "../../domain/accounts/provider-identity.js";
import { change, transact } from "../../domain/change/change.js";
import type { Context } from "../../domain/change/context.js";
import { errors } from "../../domain/change/errors.js";
import type { UnitOfWork } from "../../domain/change/unit-of-work.js";
import type { Queries } from "../../store/connection/database.js";
import { accounts, identities } from "../../store/schema.js";
import { DateTimeOut, Nullable } from "../../wire/types.js";
import { applyRoles, rolesOf } from "./roles.js";

/** The ways in which the caller can sign in. */
export const SignInMethods = Type.Object(
  {
    has_password: Type.Boolean({ description: "Whether the account can sign in with a password" }),
    provider: Type.String({ description: "Name of the OpenID provider" }),
    subject: Nullable(Type.String({ description: "The linked user of the provider; null: none" })),
    linked_at: Nullable(DateTimeOut()),
    last_used_at: Nullable(DateTimeOut({ description: "Time of the last sign-in with the provider" })),
  },
  {
    $id: "SignInMethods",
    examples: [
      {
        has_password: true,
        provider: "the club account",
        subject: "248289761001",
        linked_at: "2024-01-01T06:00:00.000Z",
        last_used_at: null,
      },
    ],
  },
);

/** The longest subject (OpenID Connect Core 1.0 section 2). */
export const MAX_SUBJECT = 255;

const issuerOf = ({ config }: Pick<Context, "config">): string => {
  if (config.openidIssuer === null) throw errors.gone("Signing in with an OpenID provider is disabled.");
  return normalizedIssuer(config.openidIssuer);
};

/** @throws ServiceError `gone` without a provider */
export async function retrieveSignInMethods(ctx: Context): Promise<Static<typeof SignInMethods>> {
  const { queries, caller, config } = ctx;
  const accountId = caller?.id ?? 0;
  const identity = await identityOf(queries, accountId, issuerOf(ctx));
  const [account] = await queries
    .select({ id: accounts.id, passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  if (account === undefined) throw errors.unauthenticated(true);
  return {
    has_password: await usesPassword(ctx, account),
    provider: config.openidName,
    subject: identity?.subject ?? null,
    linked_at: identity?.createdAt.toISOString() ?? null,
    last_used_at: identity?.lastUsedAt?.toISOString() ?? null,
  };
}

/** @throws ServiceError `already_linked` if the caller has an identity at the provider */
export async function requireUnlinked(ctx: Context): Promise<void> {
  if ((await identityOf(ctx.queries, ctx.caller?.id ?? 0, issuerOf(ctx))) !== undefined)
    throw errors.conflict("already_linked", "Your account is already linked. Remove the link first.");
}

/** Reason why a user of the provider cannot be linked to an account. */
export type LinkProblem = "identity_taken" | "already_linked";

/** Links a user of the provider to an account, whose row must be locked. Repeating it has no further effect. */
export async function insertIdentity(
  unit: UnitOfWork,
  accountId: number,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<LinkProblem | null> {
  const { queries, now, audit } = unit;
  const [ofUser] = await queries
    .select({ accountId: identities.accountId })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  if (ofUser !== undefined) return ofUser.accountId === accountId ? null : "identity_taken";
  if ((await identityOf(queries, accountId, issuer)) !== undefined) return "already_linked";
  await queries.insert(identities).values({ accountId, issuer, subject, createdAt: now });
  await audit("account", accountId, null, { identity: "linked", issuer, subject });
  return null;
}

/** Removes the link of an account, whose row must be locked, and the roles that its groups gave. */
async function removeIdentity(unit: UnitOfWork, account: Account, issuer: string): Promise<void> {
  const { queries, audit } = unit;
  const identity = await identityOf(queries, account.id, issuer);
  if (identity === undefined)
    throw errors.notFound(`The account ${account.username} has no link to ${issuer}.`);
  await queries.delete(identities).where(eq(identities.id, identity.id));
  await audit("account", account.id, { identity: "linked", issuer, subject: identity.subject }, null);
  // The link to an earlier issuer gives no roles.
  if (!(await dependsOnGroups(unit, account.id))) await applyRoles(unit, account, rolesOf([], new Set()));
}

/**
 * Removes the link of the caller.
 * @throws ServiceError `not_found`; `only_sign_in` if the caller cannot sign in with a password
 */
export async function unlinkOwn(ctx: Context): Promise<void> {
  const issuer = issuerOf(ctx);
  await change(ctx, "unlinkProvider", {}, async (unit) => {
    const [account] = await unit.queries
      .select()
      .from(accounts)
      .where(eq(accounts.id, ctx.caller?.id ?? 0))
      .for("update");
    if (account === undefined) throw errors.unauthenticated(true);
    if (await dependsOnGroups(unit, account.id))
      throw errors.conflict(
        "only_sign_in",
        "Only the operator of the service can remove the link: the roles of the account come from the groups of the provider.",
      );
    if (!(await usesPassword(unit, account)))
      throw errors.conflict(
        "only_sign_in",
        "You cannot sign in without the provider: the account has no password.",
      );
    await removeIdentity(unit, account, issuer);
  });
}

/**
 * Links an account for the operator.
 * @throws ServiceError `not_found`, `gone`, `invalid` for a managed athlete, `identity_taken`, `already_linked`
 */
export async function linkAccount(ctx: Context, username: string, subject: string) {
  const issuer = issuerOf(ctx);
  if (subject === "" || subject.length > MAX_SUBJECT)
    throw errors.field("subject", `Expected 1 to ${MAX_SUBJECT} characters.`);
  return transact(ctx, "account link", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    if (account.managedBy !== null)
      throw errors.field("username", "A managed athlete cannot sign in. Link the account of the athlete.");
    const problem = await insertIdentity(unit, account.id, { issuer, subject });
    if (problem === "identity_taken")
      throw errors.conflict(problem, "This user of the provider is linked to another account.");
    if (problem === "already_linked")
      throw errors.conflict(
        problem,
        `The account ${account.username} is linked to another user of the provider.`,
      );
    return { username: account.username, issuer, subject };
  });
}

/**
 * Removes the link of an account for the operator, and the roles that its groups gave. Its sessions continue.
 * @param from issuer of the link, such as an earlier one; default: the issuer in the settings
 * @throws ServiceError `not_found`, `gone`, `invalid`
 */
export async function unlinkAccount(ctx: Context, username: string, from?: string) {
  if (from !== undefined && !URL.canParse(from))
    throw errors.field("issuer", "Expected the issuer of the link, as account show prints it.");
  const issuer = from === undefined ? issuerOf(ctx) : normalizedIssuer(from);
  return transact(ctx, "account unlink", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    await removeIdentity(unit, account, issuer);
    return { username: account.username, issuer };
  });
}

/** Returns the identities of an account from all issuers, oldest first. */
export const identitiesOf = (queries: Queries, accountId: number) =>
  queries.select().from(identities).where(eq(identities.accountId, accountId)).orderBy(asc(identities.id));
