import { createHash } from "node:crypto";

/** A resource as the caller sees it, and the tag of exactly this view of exactly this version. */
export interface Item<T> {
  resource: T;
  /** Strong entity tag, quoted (RFC 9110 section 8.8.3). */
  etag: string;
}

/**
 * @param resource the caller's view
 * @param versions of the rows it is made from: two versions may look alike, where a secret is masked
 */
export function item<T>(resource: T, ...versions: number[]): Item<T> {
  const hash = createHash("sha256").update(JSON.stringify([resource, versions]));
  return { resource, etag: `"${hash.digest("base64url").slice(0, 22)}"` };
}
