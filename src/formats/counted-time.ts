interface Span {
  startMs: number;
  endMs: number;
}

/** Spans are grouped by minute, so that rows that repeatedly go back in time do not shift all earlier spans. */
const MINUTE_MS = 60_000;

/**
 * The recorded time so far. If rows go back in time, a step between two rows counts only where no earlier step has been counted.
 */
export class CountedTime {
  /** Spans by minute number, in ascending order and disjoint. */
  readonly #minutes = new Map<number, Span[]>();

  /** Adds a step between two rows. Returns the length of its new part, ms. */
  add(startMs: number, endMs: number): number {
    let newMs = 0;
    for (let fromMs = startMs; fromMs < endMs; ) {
      const minute = Math.floor(fromMs / MINUTE_MS);
      const toMs = Math.min(endMs, (minute + 1) * MINUTE_MS);
      newMs += addTo(this.#spansOf(minute), fromMs, toMs);
      fromMs = toMs;
    }
    return newMs;
  }

  #spansOf(minute: number): Span[] {
    const known = this.#minutes.get(minute);
    if (known !== undefined) return known;
    const spans: Span[] = [];
    this.#minutes.set(minute, spans);
    return spans;
  }
}

/** Adds a span to others. Returns the length of its new part, ms. */
function addTo(spans: Span[], startMs: number, endMs: number): number {
  const first = firstThatEndsFrom(spans, startMs);
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

function firstThatEndsFrom(spans: readonly Span[], ms: number): number {
  // usually, the step continues the last one
  let low = (spans.at(-1)?.startMs ?? ms) <= ms ? Math.max(0, spans.length - 1) : 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.endMs ?? ms) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
