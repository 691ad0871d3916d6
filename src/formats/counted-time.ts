interface Span {
  startMs: number;
  endMs: number;
}

/** The time that counts so far: where rows run back in time, the steps between them count only where no earlier step does. */
export class CountedTime {
  /** Ascending and apart from each other. */
  readonly #spans: Span[] = [];

  /** Adds a step between two rows. Returns how much of it is new, ms. */
  add(startMs: number, endMs: number): number {
    const spans = this.#spans;
    const first = this.#firstThatEndsFrom(startMs);
    const added = { startMs, endMs };
    let newMs = endMs - startMs;
    let next = first;
    for (let span = spans[next]; span !== undefined && span.startMs <= endMs; span = spans[++next]) {
      newMs -= Math.min(endMs, span.endMs) - Math.max(startMs, span.startMs);
      added.startMs = Math.min(added.startMs, span.startMs);
      added.endMs = Math.max(added.endMs, span.endMs);
    }
    if (next === first + 1) spans[first] = added;
    else spans.splice(first, next - first, added);
    return newMs;
  }

  #firstThatEndsFrom(ms: number): number {
    const spans = this.#spans;
    // mostly the step continues the last one
    let low = (spans.at(-1)?.startMs ?? ms) <= ms ? Math.max(0, spans.length - 1) : 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle]?.endMs ?? ms) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
