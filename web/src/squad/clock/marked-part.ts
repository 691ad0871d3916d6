import { computed, type ReadonlySignal } from "@preact/signals";
import type { TimeWindow } from "../../view/window.js";
import type { Clock } from "./clock-state.js";
import { withEnds } from "./period-edits.js";

/** A part of the clock with draggable ends. It is the selection, or the current period if there is none. */
export interface MarkedPart {
  value: TimeWindow | null;
  peek: () => TimeWindow | null;
}

/** Returns the part. Dragging one of its ends changes the selection or the period. */
export function markedPart(clock: Clock): MarkedPart {
  const { session } = clock;
  const part: ReadonlySignal<TimeWindow | null> = computed(() => {
    const scope = session.scope.value;
    if (scope.kind === "brush") return windowOf(scope.interval);
    if (scope.kind !== "period") return null;
    const all = session.periods.value.find(({ name }) => name === scope.name)?.all ?? null;
    return all === null ? null : windowOf(all);
  });
  return {
    peek: () => part.peek(),
    get value() {
      return part.value;
    },
    set value(next) {
      const scope = session.scope.peek();
      if (next === null) clock.release();
      else if (scope.kind === "brush") clock.select(next.startMs, next.stopMs);
      else if (scope.kind === "period") {
        const ends = { startMs: next.startMs, endMs: next.stopMs };
        const gesture = `ends of ${scope.name}`;
        const before =
          session.periodSteps.before(gesture).periods ??
          session.periodsOfFile.peek()?.content ??
          session.stored?.periods ??
          [];
        session.periodSteps.change({ periods: withEnds(before, scope.name, ends) }, gesture);
      }
    },
  };
}

const windowOf = ({ startMs, endMs }: { startMs: number; endMs: number }): TimeWindow => ({
  startMs,
  stopMs: endMs,
});
