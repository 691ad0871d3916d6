import { createHash } from "node:crypto";

/** Object with an entity tag. */
export interface Tagged {
  /** Entity tag, quoted; weak with `W/` before it, for bytes that differ each time (RFC 9110 section 8.8.3). */
  etag: string;
}

/** A resource as the caller sees it, and the entity tag of this view of this version. */
export interface Item<T> extends Tagged {
  resource: T;
}

/**
 * @param resource the caller's view
 * @param versions versions of its rows; two versions may look the
 * same when a secret is masked
 */
export const item = <T>(resource: T, ...versions: number[]): Item<T> => ({
  resource,
  ...tagged(resource, ...versions),
});

/**
 * Computes the entity tag without the resource.
 * @param view the caller's view. For a large resource, the id and the parts that depend on the caller suffice, because
 * the versions cover the rest.
 */
export function tagged(view: unknown, ...versions: number[]): Tagged {
  const hash = createHash("sha256").update(JSON.stringify([view, versions]));
  return { etag: `"${hash.digest("base64url").slice(0, 22)}"` };
}

/** Matches an entity tag (RFC 9110 section 8.8.3): visible characters in quotes, preceded by `W/` when it is weak. */
const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

const isAny = (list: string) => list.trim() === "*";

/**
 * Whether a value of `If-Match` contains this tag, by strong comparison: weak tags never match. `*` matches every tag.
 * @param etag a strong tag
 */
export function matchesStrongly(list: string, etag: string): boolean {
  return (
    isAny(list) || [...list.matchAll(ENTITY_TAG)].some(([, weak, tag]) => weak === undefined && tag === etag)
  );
}

/**
 * Whether a value of `If-None-Match` contains this tag, by weak comparison. `*` matches every tag.
 * @param etag a strong or a weak tag
 */
export function matchesWeakly(list: string, etag: string): boolean {
  const opaque = etag.replace(/^W\//, "");
  return isAny(list) || [...list.matchAll(ENTITY_TAG)].some(([, , tag]) => tag === opaque);
}
