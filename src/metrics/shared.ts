/** Intermediate results that figures share, by the object from which they were computed; freed together with it. */
const made = new WeakMap<object, Map<string, object>>();

/** Makes `shared` keep results that are computed from this object. */
export function keepWhatIsMadeOf(owner: object): void {
  if (!made.has(owner)) made.set(owner, new Map());
}

export function isKept(owner: object): boolean {
  return made.has(owner);
}

/**
 * Returns the result of `make`, or its earlier result for this owner and key. Results for unprepared samples are not kept,
 * because their columns may change between two figures.
 *
 * @param key identifies everything that `make` uses except the owner
 */
export function shared<T extends object>(owner: object, key: string, make: () => T): T {
  const kept = made.get(owner);
  if (kept === undefined) return make();
  const before = kept.get(key);
  // a key is used by one caller only, which determines the type
  if (before !== undefined) return before as T;
  const now = make();
  kept.set(key, now);
  keepWhatIsMadeOf(now);
  return now;
}
