import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../arguments.js";
import { errorOf, isPassing, notAService, serviceError } from "./refusals.js";

/** The client id of this command, which is the same for every service. */
const CLIENT_ID = "asi-command";
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** Time between two requests, unless the service sends `interval`, and the increase after `slow_down` (RFC 8628 section 3.5), seconds. */
const INTERVAL_S = 5;
const LONGEST_INTERVAL_S = 60;
/** Maximum lifetime of a code, which also applies if the service does not send `expires_in` *(choice)*, seconds. */
const LONGEST_LIFETIME_S = 1800;

/** The data that the user needs to approve the command. */
export interface Approval {
  /** Address of the page; it contains the code. */
  address: string;
  code: string;
}

/**
 * Signs in through the user's browser, on this computer or another one (RFC 8628). The token is kept only in memory.
 *
 * @param base address of the service; ends with a slash
 * @param scope scopes, separated by spaces
 * @param show called once, before the command waits for the user
 * @returns an access token with the scopes
 * @throws DescribedError with a `ServiceProblem`
 */
export async function signInByDevice(
  base: URL,
  scope: string,
  signal: AbortSignal,
  show: (approval: Approval) => void,
): Promise<string> {
  const send = (path: string, form: Record<string, string>) =>
    fetch(new URL(path, base), {
      method: "POST",
      body: new URLSearchParams({ client_id: CLIENT_ID, ...form }),
      redirect: "manual",
      signal,
    });
  const objectOf = async (response: Response) => {
    const body: unknown = await response.json().catch(() => null);
    return isRecord(body) ? body : {};
  };
  const begun = await send("oauth2/device_authorization/", { scope }).catch(() => {
    signal.throwIfAborted();
    throw serviceError("SERVICE_UNAVAILABLE", `${base.href} cannot be reached.`);
  });
  if (!begun.ok) throw await errorOf(begun, base);
  const {
    device_code,
    user_code: code,
    verification_uri_complete: address,
    interval,
    expires_in,
  } = await objectOf(begun);
  if (typeof device_code !== "string" || typeof code !== "string" || typeof address !== "string")
    throw notAService(base);
  show({ address, code });
  const endMs = performance.now() + secondsIn(expires_in, LONGEST_LIFETIME_S, LONGEST_LIFETIME_S) * 1000;
  let intervalS = secondsIn(interval, INTERVAL_S, LONGEST_INTERVAL_S);
  while (performance.now() < endMs) {
    await sleep(intervalS * 1000, undefined, { signal });
    const response = await send("oauth2/token/", { grant_type: GRANT, device_code }).catch(() => null);
    signal.throwIfAborted();
    if (response === null || isPassing(response)) {
      await response?.body?.cancel();
      intervalS += INTERVAL_S;
      continue;
    }
    const body = await objectOf(response);
    if (response.ok && typeof body.access_token === "string") return body.access_token;
    if (body.error === "slow_down") intervalS += INTERVAL_S;
    else if (body.error !== "authorization_pending")
      throw serviceError(
        "TOKEN_REFUSED",
        `${base.href} refuses the sign-in: ${typeof body.error_description === "string" ? body.error_description : response.status} Run the command again.`,
      );
  }
  throw serviceError("TOKEN_REFUSED", `The code of ${base.href} has expired. Run the command again.`);
}

/** Timeout for the request that revokes a token, ms. */
const SIGN_OUT_MS = 5_000;

/**
 * Revokes a token from `signInByDevice` (RFC 7009).
 * @returns whether it was revoked; otherwise it expires by itself
 */
export async function signOut(base: URL, token: string): Promise<boolean> {
  const response = await fetch(new URL("oauth2/revoke/", base), {
    method: "POST",
    body: new URLSearchParams({ client_id: CLIENT_ID, token }),
    redirect: "manual",
    signal: AbortSignal.timeout(SIGN_OUT_MS),
  }).catch(() => undefined);
  return response?.ok === true;
}

/** Limits a number of seconds from a service to the range from 1 to `greatest`. */
const secondsIn = (value: unknown, fallback: number, greatest: number): number =>
  typeof value === "number" && value >= 1 ? Math.min(value, greatest) : fallback;
