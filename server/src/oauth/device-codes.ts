import { randomInt } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { and, eq, gt, isNull } from "drizzle-orm";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { SCOPE_NAMES } from "../domain/change/scopes.js";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import { hashToken, newToken } from "../domain/secrets/tokens.js";
import { currentCaller, jobGroupOf } from "../fairness/callers.js";
import { lockInTransaction } from "../store/connection/transaction-lock.js";
import { accessTokens, applications, deviceCodes, type Scope } from "../store/schema.js";
import { ACCESS_TOKEN_LIFETIME_S, deleteLeastRecentlyUsed, isGrantValid } from "./issue-tokens.js";
import { findApplication } from "./model.js";
import { insertSession } from "./stored-sessions.js";

/** Grant type of RFC 8628 section 3.4. */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Application of the command `asi`, added by a migration. Like every application of this flow, it has no secret. */
export const COMMAND_CLIENT_ID = "asi-command";

/** Time within which the user must approve, seconds. */
export const DEVICE_CODE_S = 600;

/** Time between two polls, and its increase after `slow_down` (RFC 8628 section 3.5), seconds. */
const INTERVAL_S = 5;

/** Maximum number of sign-ins of one application that wait at the same time for one address. */
const MAX_WAITING = 10;

/** Letters of user codes: without vowels and similar letters (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;

const DEFAULT_SCOPES: readonly Scope[] = ["samples:read", "sessions:read"];

/** Device authorization response of RFC 8628 section 3.2. */
export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String(),
    user_code: Type.String({ description: "The code that the user enters in the page" }),
    verification_uri: Type.String({ format: "uri" }),
    verification_uri_complete: Type.String({ format: "uri", description: "The same address with the code" }),
    expires_in: Type.Integer({ description: "Seconds" }),
    interval: Type.Integer({ description: "Seconds between two token requests" }),
  },
  {
    $id: "DeviceAuthorization",
    examples: [
      {
        device_code: "kW3nXw0b7yQ2Jx5m0TqfT9s2Yc8RkW3nXw0b7yQ2Jx5",
        user_code: "WDJB-MJHT",
        verification_uri: "https://asi.example.org/#/connect",
        verification_uri_complete: "https://asi.example.org/#/connect?code=WDJB-MJHT",
        expires_in: DEVICE_CODE_S,
        interval: INTERVAL_S,
      },
    ],
  },
);

/** An error of RFC 6749 section 5.2 or RFC 8628 section 3.5. */
export interface DeviceRefusal {
  error: string;
  description: string;
}

const refusal = (error: string, description: string): DeviceRefusal => ({ error, description });

/** Hashes a user code, which people may enter in lower case and without the hyphen. */
export const hashUserCode = (code: string): Uint8Array =>
  hashToken(`user code ${code.toUpperCase().replaceAll(/[^A-Z]/g, "")}`);

function newUserCode(): string {
  const letters = Array.from({ length: USER_CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

async function deviceApplication(ctx: Context, clientId: string) {
  const application = await findApplication(ctx, clientId);
  if (application === undefined) return refusal("invalid_client", "The application is unknown.");
  if (!application.grants.includes(DEVICE_GRANT))
    return refusal("unauthorized_client", "The application may not use this flow.");
  return application;
}

/**
 * Begins a sign-in on a device without a browser (RFC 8628 section 3.1).
 * @param page address of the view of the page in which the user enters the code
 * @throws ServiceError `throttled` while too many sign-ins wait
 */
export async function beginDeviceSignIn(
  ctx: Context,
  { clientId, scope }: { clientId: string; scope: string | undefined },
  page: string,
): Promise<Static<typeof DeviceAuthorization> | DeviceRefusal> {
  const application = await deviceApplication(ctx, clientId);
  if ("error" in application) return application;
  const requested = scope?.split(" ").filter((name) => name !== "") ?? DEFAULT_SCOPES;
  const scopes = SCOPE_NAMES.filter((name) => requested.includes(name));
  if (scopes.length === 0 || scopes.length < new Set(requested).size)
    return refusal("invalid_scope", `scope must be some of ${SCOPE_NAMES.join(", ")}.`);
  const [deviceCode, userCode] = [newToken(), newUserCode()];
  const address = jobGroupOf(currentCaller(), ctx.serverKey);
  await transact(ctx, "beginDeviceSignIn", async ({ queries, now }) => {
    await lockInTransaction(queries, `device ${address}`);
    const waiting = await queries.$count(
      deviceCodes,
      and(
        eq(deviceCodes.applicationId, application.id),
        eq(deviceCodes.address, address),
        isNull(deviceCodes.isApproved),
        gt(deviceCodes.expiresAt, now),
      ),
    );
    if (waiting >= MAX_WAITING) throw errors.throttled(INTERVAL_S * 1000);
    await queries.insert(deviceCodes).values({
      deviceHash: hashToken(deviceCode),
      userHash: hashUserCode(userCode),
      applicationId: application.id,
      scopes,
      address,
      intervalS: INTERVAL_S,
      createdAt: now,
      expiresAt: new Date(now.getTime() + DEVICE_CODE_S * 1000),
    });
  });
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: DEVICE_CODE_S,
    interval: INTERVAL_S,
  };
}

/** Token for an approved device. */
export interface DeviceToken {
  token: string;
  scopes: readonly Scope[];
}

/** Responds to a token request of a device (RFC 8628 section 3.5). The token has no refresh token, and is listed as a session. */
export async function redeemDeviceCode(
  ctx: Context,
  clientId: string,
  deviceCode: string,
): Promise<DeviceToken | DeviceRefusal> {
  const application = await deviceApplication(ctx, clientId);
  if ("error" in application) return application;
  const deviceHash = hashToken(deviceCode);
  const ofDevice = and(eq(deviceCodes.deviceHash, deviceHash), eq(deviceCodes.applicationId, application.id));
  const [found] = await ctx.queries.select().from(deviceCodes).where(ofDevice);
  if (found === undefined)
    return refusal("invalid_grant", "The device code is unknown or has already been used.");
  if (found.expiresAt <= ctx.clock.now()) return refusal("expired_token", "The device code has expired.");
  if (found.isApproved === false) return refusal("access_denied", "The user has denied the request.");
  return transact(
    ctx,
    "obtainToken",
    (unit) =>
      found.accountId === null
        ? poll(unit, deviceHash)
        : issue(unit, { accountId: found.accountId, applicationId: application.id }, deviceHash),
    found.accountId ?? undefined,
  );
}

async function poll({ queries, now }: UnitOfWork, deviceHash: Uint8Array): Promise<DeviceRefusal> {
  const ofDevice = eq(deviceCodes.deviceHash, deviceHash);
  const [row] = await queries.select().from(deviceCodes).where(ofDevice).for("update");
  const { polledAt = null, intervalS = INTERVAL_S } = row ?? {};
  const isEarly = polledAt !== null && now.getTime() - polledAt.getTime() < intervalS * 1000;
  await queries
    .update(deviceCodes)
    .set({ polledAt: now, intervalS: isEarly ? intervalS + INTERVAL_S : intervalS })
    .where(ofDevice);
  return isEarly
    ? refusal("slow_down", `Wait ${intervalS + INTERVAL_S} s between two requests.`)
    : refusal("authorization_pending", "The user has not approved yet.");
}

async function issue(
  unit: UnitOfWork,
  parties: { accountId: number; applicationId: number },
  deviceHash: Uint8Array,
): Promise<DeviceToken | DeviceRefusal> {
  const { queries, now, config, audit } = unit;
  // Lock the account first, as all operations do that end its sessions and its approvals.
  const isValid = await isGrantValid(unit, parties, { kind: "device" });
  const [used] = await queries
    .delete(deviceCodes)
    .where(and(eq(deviceCodes.deviceHash, deviceHash), eq(deviceCodes.isApproved, true)))
    .returning({ scopes: deviceCodes.scopes });
  if (!isValid || used === undefined)
    return refusal("invalid_grant", "The approval has been revoked or has already been used.");
  const dropped = await deleteLeastRecentlyUsed(queries, parties, config.refreshTokensPerApplication - 1);
  for (const hash of dropped) await queries.delete(accessTokens).where(eq(accessTokens.refreshHash, hash));
  const token = newToken();
  await insertSession(unit, parties, {
    accessHash: hashToken(token),
    expiresAt: new Date(now.getTime() + ACCESS_TOKEN_LIFETIME_S * 1000),
    scopes: used.scopes,
  });
  const { accountId, applicationId } = parties;
  await audit("account", accountId, null, {
    tokens: "issued",
    application: applicationId,
    scopes: used.scopes,
  });
  return { token, scopes: used.scopes };
}

/** Returns the sign-in that waits for the user code, with its application; undefined if there is none. */
export async function waitingSignIn({ queries, clock }: Context, code: string) {
  const [found] = await queries
    .select({ row: deviceCodes, application: applications.name })
    .from(deviceCodes)
    .innerJoin(applications, eq(applications.id, deviceCodes.applicationId))
    .where(
      and(
        eq(deviceCodes.userHash, hashUserCode(code)),
        isNull(deviceCodes.isApproved),
        isNull(applications.revokedAt),
        gt(deviceCodes.expiresAt, clock.now()),
      ),
    );
  return found;
}
