import { createHash } from "node:crypto";

/** What has an entity tag. */
export interface Tagged {
  /** Strong entity tag, quoted (RFC 9110 section 8.8.3). */
  etag: string;
}

/** A resource as the caller sees it, and the tag of exactly this view of exactly this version. */
export interface Item<T> extends Tagged {
  resource: T;
}

/**
 * @param resource the caller's view
 * @param versions of the rows it is made from: two versions may look the same when a secret is masked
 */
export const item = <T>(resource: T, ...versions: number[]): Item<T> => ({
  resource,
  ...tagged(resource, ...versions),
});

/**
 * The tag alone.
 * @param view the caller's view, or of one with megabytes only what tells it from others: its id, and what depends on the
 * caller. The versions tell of the rest.
 */
export function tagged(view: unknown, ...versions: number[]): Tagged {
  const hash = createHash("sha256").update(JSON.stringify([view, versions]));
  return { etag: `"${hash.digest("base64url").slice(0, 22)}"` };
}
