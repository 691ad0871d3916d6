/** Counts by key. Removes keys whose count is zero. */
export class Tally<Key> {
  readonly #of = new Map<Key, number>();

  get(key: Key): number {
    return this.#of.get(key) ?? 0;
  }

  add(key: Key, change: number): void {
    const left = this.get(key) + change;
    if (left > 0) this.#of.set(key, left);
    else this.#of.delete(key);
  }
}
