import { and, eq, getTableColumns, isNull } from "drizzle-orm";
import type { Account } from "../../domain/accounts/find.js";
import { usernameKey } from "../../domain/accounts/usernames.js";
import { insertAccount, revokeTokens } from "../../domain/accounts/write.js";
import { transact } from "../../domain/change/change.js";
import type { Context } from "../../domain/change/context.js";
import { errors, ServiceError } from "../../domain/change/errors.js";
import type { UnitOfWork } from "../../domain/change/unit-of-work.js";
import { newToken } from "../../domain/secrets/tokens.js";
import { lockInTransaction } from "../../store/connection/transaction-lock.js";
import { accounts, applications, identities } from "../../store/schema.js";
import { isGrantValid } from "../issue-tokens.js";
import { findApplication } from "../model.js";
import { beginSession, PAGE_CLIENT_ID } from "../page-sessions.js";
import { groupsOf, isOfDomain, profileOf, usernamesOf } from "./claims.js";
import { beginFlow, type Flow, flowValues, takeFlow } from "./flow.js";
import { insertIdentity, type LinkProblem, MAX_SUBJECT } from "./identities.js";
import { type OpenIdProvider, ProviderError, type ProviderProblem, type ProviderUser } from "./provider.js";
import { allows, applyRoles, type GrantedRoles, namesGroups, rolesOf } from "./roles.js";

/** Reasons why a sign-in or a link fails. The page explains these stable codes. */
export type SignInProblem =
  | ProviderProblem
  | LinkProblem
  /** The sign-in has expired, was used, or was begun by another browser. */
  | "sign_in_expired"
  /** No account is linked to the user, and new ones are not created. */
  | "no_account"
  /** No group of the user gives a role that fits the account. */
  | "no_role"
  /** The user does not belong to a domain of `OPENID_DOMAINS`. */
  | "wrong_domain"
  /** Too many accounts were created from this address. */
  | "too_many_accounts"
  | "account_disabled"
  /** The application of the page is revoked. */
  | "sign_in_disabled"
  /** The session that began the link has ended. */
  | "session_ended";

/** Result of the response of the provider. */
export type SignInOutcome =
  | { kind: "signed-in"; token: string }
  | { kind: "linked" }
  | {
      kind: "failed";
      /** Whether an account should have been linked. */
      isLink: boolean;
      problem: SignInProblem;
      /** Reason for the log. */
      reason?: string;
      /** Whether the response belongs to another sign-in, so that the one of this browser continues. */
      isForeign?: boolean;
    };

/**
 * Begins to sign in a user, or to link an account.
 * @returns the address of the provider, and the value of the cookie that the callback requires
 * @throws ServiceError `provider_unavailable`
 */
export async function beginAtProvider(
  ctx: Context,
  provider: OpenIdProvider,
  redirectUri: string,
  flow: Flow,
  warn: (reason: string) => void,
): Promise<{ location: string; cookie: string }> {
  const cookie = await beginFlow(ctx, flow);
  try {
    return { location: await provider.authorizationUrl(redirectUri, flowValues(cookie), flow), cookie };
  } catch (error) {
    await takeFlow(ctx, cookie);
    if (!(error instanceof ProviderError)) throw error;
    warn(error.reason);
    throw errors.providerUnavailable();
  }
}

/** The redirect of the provider. */
export interface Callback {
  /** Address of the request, with the query. */
  url: URL;
  cookie: string | undefined;
  userAgent: string | undefined;
  /** Counts a new account as a registration from the address. Throws `throttled`. */
  countRegistration(): Promise<void>;
  /** Reports that the provider does not send the claim with the groups. */
  onMissingGroups(): void;
}

/** Completes a sign-in or a link. */
export async function finishAtProvider(
  ctx: Context,
  provider: OpenIdProvider,
  callback: Callback,
): Promise<SignInOutcome> {
  const { url, cookie } = callback;
  const values = cookie === undefined ? undefined : flowValues(cookie);
  // A response for another browser does not use up the sign-in.
  if (cookie === undefined || values === undefined || url.searchParams.get("state") !== values.state)
    return { kind: "failed", isLink: false, problem: "sign_in_expired", isForeign: true };
  const flow = await takeFlow(ctx, cookie);
  if (flow === undefined) return { kind: "failed", isLink: false, problem: "sign_in_expired" };
  const isLink = flow.accountId !== null;
  let user: ProviderUser;
  try {
    user = await provider.redeem(url, values, flow);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { kind: "failed", isLink, problem: error.code, reason: error.reason };
  }
  if (user.subject.length > MAX_SUBJECT)
    return { kind: "failed", isLink, problem: "provider_invalid", reason: "sub" };
  if (!isOfDomain(user.claims, ctx.config.openidDomains))
    return { kind: "failed", isLink, problem: "wrong_domain" };
  const result = isLink ? await link(ctx, flow, user) : await signInUser(ctx, flow, user, callback);
  return typeof result === "string" ? { kind: "failed", isLink, problem: result } : result;
}

/** Serializes sign-ins and links of one user of the provider. */
const lockUser = ({ queries }: UnitOfWork, { issuer, subject }: ProviderUser) =>
  lockInTransaction(queries, JSON.stringify(["identity", issuer, subject]));

type Result = SignInProblem | Exclude<SignInOutcome, { kind: "failed" }>;

async function link(ctx: Context, { accountId, tokenHash }: Flow, user: ProviderUser): Promise<Result> {
  const application = await findApplication(ctx, PAGE_CLIENT_ID);
  if (application === undefined || accountId === null || tokenHash === null) return "session_ended";
  const parties = { accountId, applicationId: application.id };
  return transact(
    ctx,
    "linkProvider",
    async (unit) => {
      await lockUser(unit, user);
      if (!(await isGrantValid(unit, parties, { kind: "session", tokenHash }))) return "session_ended";
      return (await insertIdentity(unit, accountId, user)) ?? { kind: "linked" };
    },
    accountId,
  );
}

async function signInUser(
  ctx: Context,
  { tokenHash }: Flow,
  user: ProviderUser,
  { userAgent, countRegistration, onMissingGroups }: Callback,
): Promise<Result> {
  const { openidRoles, openidGroupsClaim, openidCreateAccounts } = ctx.config;
  const application = await findApplication(ctx, PAGE_CLIENT_ID);
  if (application === undefined) return "sign_in_disabled";
  const groups = groupsOf(user.claims, openidGroupsClaim);
  if (groups === undefined && namesGroups(openidRoles)) onMissingGroups();
  const roles = rolesOf(openidRoles, groups ?? new Set());
  const token = newToken();
  const known = await accountOf(ctx.queries, user);
  if (known === undefined && openidCreateAccounts && roles.account !== null) {
    try {
      await countRegistration();
    } catch (error) {
      if (error instanceof ServiceError && error.code === "throttled") return "too_many_accounts";
      throw error;
    }
  }
  const work = async (unit: UnitOfWork): Promise<Result> => {
    await lockUser(unit, user);
    const account = await allowedAccount(unit, user, roles);
    if (typeof account === "string") return account;
    const parties = { accountId: account.id, applicationId: application.id };
    if (!(await isGrantValid(unit, parties, { kind: "identity" }))) return "sign_in_disabled";
    await unit.queries
      .update(identities)
      .set({ lastUsedAt: unit.now })
      .where(and(eq(identities.issuer, user.issuer), eq(identities.subject, user.subject)));
    const authenticatedAt = authenticationTime(user, unit.now);
    await beginSession(unit, parties, {
      token,
      userAgent,
      replaces: tokenHash ?? undefined,
      authenticatedAt,
    });
    return { kind: "signed-in", token };
  };
  const signIn = () => transact(ctx, "signInWithProvider", work, known?.id ?? null);
  return signIn().catch((error: unknown) => {
    // Someone else has just taken the username of the new account.
    if (error instanceof ServiceError && error.code === "not_unique") return signIn();
    throw error;
  });
}

/** Returns the time of the authentication, at most the current time, because the clock of the provider may be ahead. */
const authenticationTime = ({ authenticatedAtS: atS }: ProviderUser, now: Date): Date | null =>
  atS === null ? null : new Date(Math.min(atS * 1000, now.getTime()));

/**
 * Returns the account that is linked to a user of the provider. Locks its row and the link, because another transaction may
 * remove the link.
 */
async function accountOf(
  queries: Context["queries"],
  { issuer, subject }: ProviderUser,
): Promise<Account | undefined> {
  const [account] = await queries
    .select(getTableColumns(accounts))
    .from(identities)
    .innerJoin(accounts, eq(accounts.id, identities.accountId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .for("no key update", { of: [accounts, identities] });
  return account;
}

/** Returns the account of a user with the current roles of its groups, a new one if the settings allow it, or the problem. */
async function allowedAccount(
  unit: UnitOfWork,
  user: ProviderUser,
  roles: GrantedRoles,
): Promise<Account | SignInProblem> {
  const { openidRoles, openidCreateAccounts } = unit.config;
  const found = await accountOf(unit.queries, user);
  if (found?.disabledAt != null) return "account_disabled";
  if (found === undefined && !openidCreateAccounts) return "no_account";
  if (found === undefined && roles.account === null) return "no_role";
  const account = found ?? (await createAccount(unit, user, roles.account ?? "ATHLETE"));
  // Without a mapping, this withdraws the roles that an earlier mapping gave.
  await applyRoles(unit, account, roles);
  if (openidRoles.length === 0 || allows(roles, account.role)) return account;
  // An application of the account could issue further tokens.
  const revoked = await unit.queries
    .update(applications)
    .set({ revokedAt: unit.now })
    .where(and(eq(applications.accountId, account.id), isNull(applications.revokedAt)))
    .returning();
  await unit.auditAll(
    "application",
    revoked.map((after) => ({ id: after.id, before: { ...after, revokedAt: null }, after })),
  );
  await revokeTokens(unit, account.id);
  await unit.audit("account", account.id, null, { tokens: "revoked: no role" });
  return "no_role";
}

async function createAccount(
  unit: UnitOfWork,
  user: ProviderUser,
  role: "MANAGER" | "ATHLETE",
): Promise<Account> {
  const [preferred, other] = usernamesOf(user.claims);
  const isTaken = await unit.queries.$count(accounts, eq(accounts.usernameKey, usernameKey(preferred)));
  const account = await insertAccount(unit, {
    role,
    username: isTaken > 0 ? other : preferred,
    ...profileOf(user.claims),
    canCreateManagedAthletes: role === "MANAGER" && unit.config.grantManagedAthletes,
  });
  const problem = await insertIdentity(unit, account.id, user);
  if (problem !== null) throw new Error(`The new account was not linked: ${problem}`);
  return account;
}
