import type { FastifyRequest } from "fastify";
import { errors, type ServiceError } from "../domain/change/errors.js";

const MAX_SHOWN = 200;

/** The path of a request for the log: without the query, which may contain secrets; escaped and truncated. */
export function shownPath({ url }: Pick<FastifyRequest, "url">): string {
  const [path = ""] = url.split("?", 1);
  // Node represents each byte as one character.
  const escaped = path
    .slice(0, MAX_SHOWN)
    .replace(/[^\x21-\x7e]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return path.length > MAX_SHOWN ? `${escaped}…` : escaped;
}

/** A route's URL as a regular expression: `/api/v1/devices/:device(^[1-9]\d{0,15}$)/`. */
const asPattern = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.]/g, "\\$&")
      .replace(/:\w+\(([^)]*)\)/g, (_, inner: string) => `(?:${inner.replace(/[\^$]/g, "")})`)}$`,
  );

/**
 * Responds to an unknown path with what is wrong with it.
 * @param urls of all routes; read when the first unknown path is requested
 */
export function describeUnknownPaths(urls: Iterable<string>): (request: FastifyRequest) => ServiceError {
  let patterns: RegExp[] | undefined;
  return ({ url }) => {
    patterns ??= [...urls].map(asPattern);
    const [path = ""] = url.split("?", 1);
    const lacksSlash = !path.endsWith("/") && patterns.some((pattern) => pattern.test(`${path}/`));
    return lacksSlash
      ? errors.notFound("Not found: the slash at the end of the path is missing.")
      : errors.notFound();
  };
}
