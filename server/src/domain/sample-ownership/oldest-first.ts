export interface Aged {
  id: number;
  /** Since when it says that its athlete wore the device then. */
  assignedAtMs: number;
}

const isOlder = (a: Aged, b: Aged): boolean =>
  a.assignedAtMs < b.assignedAtMs || (a.assignedAtMs === b.assignedAtMs && a.id < b.id);

/** Time frames of which the oldest is known: a binary heap. */
export class OldestFirst<Frame extends Aged> {
  /** Exchanges so far. */
  steps = 0;
  readonly #heap: Frame[] = [];

  get oldest(): Frame | undefined {
    return this.#heap[0];
  }

  add(frame: Frame): void {
    const heap = this.#heap;
    let at = heap.push(frame) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#exchange(parent, at)) return;
      at = parent;
    }
  }

  removeOldest(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const [a, b] = [heap[left], heap[right]];
      const older = a !== undefined && b !== undefined && isOlder(b, a) ? right : left;
      if (!this.#exchange(at, older)) return;
      at = older;
    }
  }

  /** Puts the older one of two above the other. @returns whether they have changed places */
  #exchange(above: number, below: number): boolean {
    const [a, b] = [this.#heap[above], this.#heap[below]];
    if (a === undefined || b === undefined || !isOlder(b, a)) return false;
    this.steps++;
    this.#heap[above] = b;
    this.#heap[below] = a;
    return true;
  }
}
