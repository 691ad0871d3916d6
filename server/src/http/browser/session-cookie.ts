import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import type { Config } from "../../config/config.js";

/**
 * Cookie of a session of the page. Browsers accept a cookie whose name begins with `__Host-` only over TLS and for this host, so
 * that no subdomain can set it (RFC 6265bis section 4.1.3.2).
 */
export const SESSION_COOKIE = "__Host-asi-session";
const LOCAL_COOKIE = "asi-session";

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

/** Whether a host is a loopback address. */
export const isLoopback = (host: string) =>
  host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");

/** Returns the value of `Set-Cookie`. @param maxAgeS 0 removes the cookie */
export const sessionCookie = (config: Config, token: string, maxAgeS: number): string =>
  isLocalOnly(config)
    ? `${LOCAL_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict`
    : `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=Strict`;

/**
 * Whether a request comes from the page, as proven by the header. Forms cannot send it, and a browser lets a page of another
 * origin, including a subdomain, send it only if the service allows it in a preflight (CORS), which `cors.ts` never does. A
 * browser also sends the origin of the request (Fetch Metadata).
 */
export const isFromPage = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  headers["x-asi-page"] === "1" && (headers["sec-fetch-site"] ?? "same-origin") === "same-origin";

/** Returns the token in the cookie of requests of the page; undefined for all other requests. */
export function sessionToken(config: Config, request: Pick<FastifyRequest, "headers">): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined || !isFromPage(request)) return undefined;
  const prefix = `${isLocalOnly(config) ? LOCAL_COOKIE : SESSION_COOKIE}=`;
  const token = cookie
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}
