/** An entity tag (RFC 9110 section 8.8.3): visible characters in quotes, with `W/` before it when it is weak. */
const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

const isAny = (list: string) => list.trim() === "*";

/**
 * Whether a value of `If-Match` contains this tag, by strong comparison: weak tags never match. `*` matches every tag.
 * @param etag a strong one
 */
export function matchesStrongly(list: string, etag: string): boolean {
  return (
    isAny(list) || [...list.matchAll(ENTITY_TAG)].some(([, weak, tag]) => weak === undefined && tag === etag)
  );
}

/**
 * Whether a value of `If-None-Match` contains this tag, by weak comparison. `*` matches every tag.
 * @param etag a strong one
 */
export function matchesWeakly(list: string, etag: string): boolean {
  return isAny(list) || [...list.matchAll(ENTITY_TAG)].some(([, , tag]) => tag === etag);
}
