export interface Aged {
  id: number;
  /** Time since which the time frame has assigned this time of the device to its athlete. */
  assignedAtMs: number;
}

const isOlder = (a: Aged, b: Aged): boolean =>
  a.assignedAtMs < b.assignedAtMs || (a.assignedAtMs === b.assignedAtMs && a.id < b.id);

/** Time frames in a binary heap, oldest first. */
export class OldestFirst<Frame extends Aged> {
  /** Number of exchanges. */
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

  /** Moves the older of two time frames above the other. @returns whether they were exchanged */
  #exchange(above: number, below: number): boolean {
    const [a, b] = [this.#heap[above], this.#heap[below]];
    if (a === undefined || b === undefined || !isOlder(b, a)) return false;
    this.steps++;
    this.#heap[above] = b;
    this.#heap[below] = a;
    return true;
  }
}
