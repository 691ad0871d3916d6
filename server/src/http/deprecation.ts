import type { AnyOperation } from "./operation.js";
import type { ResponseHead } from "./responses.js";

/** Date on which the operations were deprecated, as a structured date (RFC 9745 section 2.1). */
const DEPRECATED_SINCE = "@1704067200";

/**
 * Returns headers that mark the operation as deprecated and link to the explanation.
 * @param prefix prefix of the paths of the API for clients
 */
export function deprecationHeaders(reply: ResponseHead, operation: AnyOperation, prefix: string): void {
  reply.header("Deprecation", DEPRECATED_SINCE);
  const links = [
    `<${prefix}/api/docs/#/${encodeURIComponent(operation.tag)}/${operation.id}>; rel="deprecation"`,
  ];
  if (operation.sunset !== undefined)
    links.push(`<${prefix}${operation.sunset.successor}>; rel="successor-version"`);
  reply.header("Link", links.join(", "));
  if (operation.sunset !== undefined) reply.header("Sunset", operation.sunset.date);
}
