import type { FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import type { Success } from "./responses.js";

/** Maximum length of `Accept` and `Accept-Encoding`; a longer header is ignored. Negotiation parses every entry for every type. */
const MAX_HEADER = 1024;

function negotiatorOf({ accept, "accept-encoding": encoding }: FastifyRequest["headers"]): Negotiator {
  const known = { accept, "accept-encoding": encoding };
  const short = Object.entries(known).filter(([, text]) => (text ?? "").length <= MAX_HEADER);
  return new Negotiator({ headers: Object.fromEntries(short) });
}

/**
 * Refuses a request with status 406 if its `Accept` excludes the media type of the response (RFC 9110 section 12.5.1). Errors are
 * always JSON.
 */
export function requireAcceptable({ headers, routeOptions }: FastifyRequest): void {
  const { operation } = routeOptions.config;
  if (operation === undefined || operation.ignoresAccept || (headers.accept ?? "").trim() === "") return;
  if (preferredType({ headers }, mediaTypesOf(operation.success)) === undefined)
    throw Object.assign(new Error("Not acceptable"), { statusCode: 406 });
}

const JSON_TYPE = "application/json";

/** Returns the types of a response among which the client can choose. */
const mediaTypesOf = (success: Success): readonly string[] =>
  success.schema === undefined
    ? [success.mediaType ?? JSON_TYPE]
    : [JSON_TYPE, ...(success.otherMediaTypes ?? [])];

/** Returns the type that the client prefers; the first one without `Accept`; undefined if the client accepts none of them. */
export function preferredType(
  { headers }: Pick<FastifyRequest, "headers">,
  types: readonly string[],
): string | undefined {
  // Clients may include or omit the charset.
  const [accepted] = negotiatorOf(headers).mediaTypes(
    types.flatMap((type) => [type, `${type}; charset=utf-8`]),
  );
  return accepted?.split(";", 1)[0];
}

/** Returns the type that the client prefers among JSON and others. An earlier check has accepted the request. */
export const preferredOf = <T extends string>(
  request: Pick<FastifyRequest, "headers">,
  others: readonly T[],
): T | typeof JSON_TYPE =>
  (preferredType(request, [JSON_TYPE, ...others]) as T | typeof JSON_TYPE | undefined) ?? JSON_TYPE;

/** Whether the client prefers CSV to JSON. */
export const prefersCsv = (request: Pick<FastifyRequest, "headers">): boolean =>
  preferredOf(request, ["text/csv"]) === "text/csv";

/** Whether a response may be compressed with gzip (RFC 9110 section 12.5.3). */
export const acceptsGzip = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  negotiatorOf(headers).encodings(["gzip", "identity"])[0] === "gzip";
