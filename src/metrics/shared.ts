/**
 * Intermediate results that several functions share, by the object from which they were computed. They are freed together with
 * it.
 */
const made = new WeakMap<object, Map<string, object>>();

/** Allows `shared` to keep results that are computed from this object. */
export function keepWhatIsMadeOf(owner: object): void {
  if (!made.has(owner)) made.set(owner, new Map());
}

export function isKept(owner: object): boolean {
  return made.has(owner);
}

/**
 * Returns the result of `make`, or its earlier result for this owner and key. Results for unprepared samples are not kept,
 * because their columns may change between two calls.
 *
 * @param key identifies everything that `make` uses except the owner
 */
export function shared<T extends object>(owner: object, key: string, make: () => T): T {
  const kept = made.get(owner);
  if (kept === undefined) return make();
  const before = kept.get(key);
  // only one caller uses a key, so the type is known
  if (before !== undefined) return before as T;
  const now = make();
  kept.set(key, now);
  keepWhatIsMadeOf(now);
  return now;
}
