import type { FastifyRequest } from "fastify";
import type { Config } from "../../config/config.js";
import { isLoopback } from "../../config/loopback.js";

/**
 * Cookie of a session of the page. Browsers accept a cookie with the prefix `__Host-` only over TLS and only for this
 * host, so no subdomain can set it (RFC 6265bis section 4.1.3.2).
 */
export const SESSION_COOKIE = "__Host-asi-session";
const LOCAL_COOKIE = "asi-session";

/** Cookie of a sign-in that waits for the OpenID provider. */
const FLOW_COOKIE = "__Host-asi-openid";
const LOCAL_FLOW_COOKIE = "asi-openid";

/** Format of the tokens issued by the service. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Whether browsers reach the service only by plain HTTP on the same machine, where the cookie cannot require TLS. Behind a proxy
 * without a base URL, the address is unknown, and a cookie without TLS would be unsafe.
 */
export function isLocalOnly({
  baseUrl,
  host,
  trustProxy,
}: Pick<Config, "baseUrl" | "host" | "trustProxy">): boolean {
  if (baseUrl === null) return isLoopback(host) && trustProxy.length === 0;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

/** Returns the value of `Set-Cookie`. @param maxAgeS 0 removes the cookie */
export const sessionCookie = (config: Config, token: string, maxAgeS: number): string =>
  isLocalOnly(config)
    ? `${LOCAL_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict`
    : `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=Strict`;

/**
 * Returns the value of `Set-Cookie` for a sign-in with the OpenID provider. The redirect of the provider comes from another site,
 * so it is `SameSite=Lax`.
 * @param maxAgeS 0 removes the cookie
 */
export const flowCookie = (config: Config, value: string, maxAgeS: number): string =>
  isLocalOnly(config)
    ? `${LOCAL_FLOW_COOKIE}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax`
    : `${FLOW_COOKIE}=${value}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=Lax`;

/** Returns the value of the cookie of a sign-in with the OpenID provider. */
export const flowOf = (config: Config, request: Pick<FastifyRequest, "headers">): string | undefined =>
  cookieOf(request, isLocalOnly(config) ? LOCAL_FLOW_COOKIE : FLOW_COOKIE);

function cookieOf({ headers }: Pick<FastifyRequest, "headers">, name: string): string | undefined {
  const value = headers.cookie
    ?.split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/**
 * Whether a request comes from the page, as proven by the header. Forms cannot send the header. A browser lets a page
 * of another origin, including a subdomain, send the header only if the service allows it in a preflight (CORS), which
 * `cors.ts` never does. A browser also sends the origin of the request (Fetch Metadata).
 */
export const isFromPage = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  headers["x-asi-page"] === "1" && (headers["sec-fetch-site"] ?? "same-origin") === "same-origin";

/** Returns the token in the cookie of requests of the page; undefined for all other requests. */
export const sessionToken = (config: Config, request: Pick<FastifyRequest, "headers">): string | undefined =>
  isFromPage(request) ? cookieOf(request, isLocalOnly(config) ? LOCAL_COOKIE : SESSION_COOKIE) : undefined;
