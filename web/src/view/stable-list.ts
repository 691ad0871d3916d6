import { computed, type ReadonlySignal } from "@preact/signals";

/** Returns a computed list that remains the same object while its elements are unchanged. Its dependents are then not recomputed. */
export function stableList<Element>(compute: () => readonly Element[]): ReadonlySignal<readonly Element[]> {
  let known: readonly Element[] = [];
  return computed(() => {
    const now = compute();
    if (now.length !== known.length || now.some((one, i) => one !== known[i])) known = now;
    return known;
  });
}
