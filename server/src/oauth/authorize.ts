import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { ServiceError } from "../domain/change/errors.js";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import { hashToken, newToken } from "../domain/secrets/tokens.js";
import { authorizationCodes } from "../store/schema.js";
import { type AuthorizationGrant, isGrantValid, type Parties } from "./issue-tokens.js";
import { findApplication, findUser, type PasswordAttempts } from "./model.js";

/** Lifetime of a code, which can be used once (RFC 6749 section 4.1.2 recommends at most ten minutes). */
const CODE_LIFETIME_MS = 60_000;

/** RFC 7636 section 4.2: base64url of a SHA-256. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

const WRONG = "The username or the password is wrong.";

/** Reasons why a correct password is refused, by error code. */
const PROBLEMS: Readonly<Record<string, string>> = {
  account_disabled: "This account is disabled.",
  provider_required:
    "The roles of this account come from the groups of an OpenID provider, so its password is not accepted.",
};

export type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** Content of the login page, a redirect, or the reason for a refusal. */
export type Authorization =
  | { kind: "login"; applicationName: string; fields: Record<string, string>; problem: string | null }
  | { kind: "redirect"; location: string }
  | { kind: "refused"; reason: string };

const PARAMETERS = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "scope",
  "code_challenge",
  "code_challenge_method",
] as const;

/**
 * Handles a request to the authorization endpoint (RFC 6749 section 4.1.1, RFC 7636): checks the request and, with credentials,
 * issues a code. A wrong client or redirect URI is reported on a page and never redirected (RFC 6749 section 4.1.2.1).
 */
export async function authorizeRequest(
  ctx: Context,
  attempts: PasswordAttempts,
  sent: Fields,
  credentials: { username: string; password: string } | null,
): Promise<Authorization> {
  const fields: Record<string, string> = {};
  const repeated = PARAMETERS.find((name) => Array.isArray(sent[name]));
  for (const name of PARAMETERS) {
    const value = sent[name];
    // The database cannot compare NUL, and registered values do not contain it.
    if (typeof value === "string" && value !== "" && !value.includes("\0")) fields[name] = value;
  }
  const application =
    fields.client_id === undefined ? undefined : await findApplication(ctx, fields.client_id);
  if (application === undefined) return { kind: "refused", reason: "The application is unknown." };
  const redirectUri = fields.redirect_uri;
  if (redirectUri === undefined || !application.redirectUris.includes(redirectUri)) {
    return { kind: "refused", reason: "The application has not registered this redirect_uri." };
  }
  const redirect = (parameters: Record<string, string>): Authorization => {
    const location = new URL(redirectUri);
    for (const [name, value] of Object.entries(parameters)) location.searchParams.append(name, value);
    if (fields.state !== undefined) location.searchParams.append("state", fields.state);
    return { kind: "redirect", location: location.href };
  };
  const refuse = (error: string, description: string) => redirect({ error, error_description: description });

  if (repeated !== undefined) return refuse("invalid_request", `${repeated} is repeated.`);
  if (fields.response_type === undefined) return refuse("invalid_request", "response_type is missing.");
  if (fields.response_type !== "code")
    return refuse("unsupported_response_type", "response_type must be code.");
  if (!application.grants.includes("authorization_code")) {
    return refuse("unauthorized_client", "The application may not use this flow.");
  }
  if (fields.scope !== undefined && fields.scope !== "all")
    return refuse("invalid_scope", "scope must be all.");
  const challenge = fields.code_challenge;
  if (challenge !== undefined && (fields.code_challenge_method !== "S256" || !CHALLENGE.test(challenge))) {
    return refuse("invalid_request", "code_challenge must be of method S256.");
  }

  const login = { kind: "login", applicationName: application.name, fields } as const;
  if (credentials === null) return { ...login, problem: null };
  const account = await findUser(ctx, attempts, credentials.username, credentials.password).catch(
    (error: unknown) => {
      const problem = error instanceof ServiceError ? PROBLEMS[error.code] : undefined;
      if (problem === undefined) throw error;
      return problem;
    },
  );
  if (typeof account === "string") return { ...login, problem: account };
  if (account === undefined || account.role !== "MANAGER") return { ...login, problem: WRONG };
  const code = newToken();
  const parties: Parties = { accountId: account.id, applicationId: application.id };
  const grant: AuthorizationGrant = { kind: "password", passwordHash: account.passwordHash };
  const issue = async (unit: UnitOfWork) => {
    if (!(await isGrantValid(unit, parties, grant))) return false;
    const { queries, now, audit } = unit;
    await queries.insert(authorizationCodes).values({
      codeHash: hashToken(code),
      ...parties,
      redirectUri,
      codeChallenge: challenge ?? null,
      expiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
    });
    await audit("account", account.id, null, {
      authorizationCode: "issued",
      application: application.id,
    });
    return true;
  };
  const issued = await transact(ctx, "authorize", issue, account.id);
  return issued ? redirect({ code }) : { ...login, problem: WRONG };
}
