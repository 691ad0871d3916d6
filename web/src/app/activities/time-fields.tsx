import type { Signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { duration, zoneName } from "../../view/times.js";
import type { TimeWindow } from "../../view/window.js";
import { Field } from "../parts/form.js";
import { instantOf, instantText } from "../parts/when.js";

export const REVERSED = "End must be later than Start.";

interface Typed {
  start: string;
  end: string;
  /** The times in the fields, if they are valid. */
  part: TimeWindow | null;
}

/** The fields for start and end of a time frame. They follow the mark on the plot, and the mark follows them. */
export function TimeFields({ part, zone }: { part: Signal<TimeWindow | null>; zone: Zone }) {
  const marked = part.value;
  const [typed, setTyped] = useState<Typed | null>(null);
  const shownZone = useRef(zone);
  // texts are valid until the user moves the mark or changes the zone
  const isTyped = typed !== null && typed.part === marked && shownZone.current === zone;
  shownZone.current = zone;
  const start = isTyped ? typed.start : marked === null ? "" : instantText(marked.startMs, zone);
  const end = isTyped ? typed.end : marked === null ? "" : instantText(marked.stopMs, zone);

  const type = (texts: { start: string; end: string }) => {
    const startMs = instantOf(texts.start, zone);
    const stopMs = instantOf(texts.end, zone);
    const isWindow = startMs !== null && stopMs !== null && startMs < stopMs;
    // removes the mark of invalid times, because users may save only visible times
    const next = isWindow ? { startMs, stopMs } : null;
    setTyped({ ...texts, part: next });
    part.value = next;
  };
  const isReversed =
    isTyped && (instantOf(start, zone) ?? 0) >= (instantOf(end, zone) ?? Number.POSITIVE_INFINITY);
  return (
    <>
      <Field
        name="start_time"
        label="Start"
        type="datetime-local"
        step={stepOf(start)}
        required
        value={start}
        onValue={(text) => type({ start: text, end })}
        hint={`Times in ${zoneName(zone)}.`}
      />
      <Field
        name="end_time"
        label="End"
        type="datetime-local"
        step={stepOf(end)}
        required
        value={end}
        onValue={(text) => type({ start, end: text })}
        problem={isReversed ? REVERSED : undefined}
        hint={
          marked === null
            ? "Mark a time on the plot, or enter it."
            : `Length: ${duration(marked.stopMs - marked.startMs)}.`
        }
      />
    </>
  );
}

/** Returns the step of a field: whole seconds, or milliseconds for times with a fraction, which other programs may have set. */
const stepOf = (text: string): number => (text.includes(".") ? 0.001 : 1);
