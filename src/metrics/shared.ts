/** What figures have made of prepared samples, and of what was made of them, for the next figure; gone with the samples. */
const made = new WeakMap<object, Map<string, object>>();

/** From now on everything made of this object is kept. */
export function keepWhatIsMadeOf(owner: object): void {
  if (!made.has(owner)) made.set(owner, new Map());
}

export function isKept(owner: object): boolean {
  return made.has(owner);
}

/**
 * What `make` makes of `owner`, or has made of it under this key before. Nothing is kept of samples that were not prepared: their
 * columns may change between two figures.
 *
 * @param key distinguishes everything that `make` uses besides the owner
 */
export function shared<T extends object>(owner: object, key: string, make: () => T): T {
  const kept = made.get(owner);
  if (kept === undefined) return make();
  const before = kept.get(key);
  // one key is of one caller, whose type it has
  if (before !== undefined) return before as T;
  const now = make();
  kept.set(key, now);
  keepWhatIsMadeOf(now);
  return now;
}
