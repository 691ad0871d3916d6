import type { FastifyRequest } from "fastify";
import Negotiator from "negotiator";

/**
 * Refuses a request with status 406 if its `Accept` excludes the media type of the response (RFC 9110 section 12.5.1). Errors are
 * always JSON.
 */
export function requireAcceptable({ headers, routeOptions }: FastifyRequest): void {
  const { operation } = routeOptions.config;
  if (operation === undefined || operation.ignoresAccept || (headers.accept ?? "").trim() === "") return;
  const sent = operation.success.mediaType ?? "application/json";
  // Clients may include or omit the charset.
  const [accepted] = new Negotiator({ headers }).mediaTypes([sent, `${sent}; charset=utf-8`]);
  if (accepted === undefined) throw Object.assign(new Error("Not acceptable"), { statusCode: 406 });
}

/** Whether a response may be compressed with gzip (RFC 9110 section 12.5.3). */
export const acceptsGzip = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  new Negotiator({ headers }).encodings(["gzip", "identity"])[0] === "gzip";
