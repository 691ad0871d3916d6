/** An entity tag (RFC 9110 section 8.8.3): visible characters in quotes, with `W/` before it when it is weak. */
const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

const isAny = (list: string) => list.trim() === "*";

/**
 * Whether a value of `If-Match` holds this tag, by the strong comparison: a weak tag is none. `*` holds every tag.
 * @param etag a strong one
 */
export function matchesStrongly(list: string, etag: string): boolean {
  return (
    isAny(list) || [...list.matchAll(ENTITY_TAG)].some(([, weak, tag]) => weak === undefined && tag === etag)
  );
}

/**
 * Whether a value of `If-None-Match` holds this tag, by the weak comparison. `*` holds every tag.
 * @param etag a strong one
 */
export function matchesWeakly(list: string, etag: string): boolean {
  return isAny(list) || [...list.matchAll(ENTITY_TAG)].some(([, , tag]) => tag === etag);
}
