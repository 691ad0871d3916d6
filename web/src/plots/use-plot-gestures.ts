import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { nearestOf } from "../view/instants.js";
import type { Selection } from "../view/selection.js";
import { moved, type TimeWindow, within, zoomed } from "../view/window.js";
import { type Frame, grainedWindow } from "./frame-box.js";
import { AXIS_WIDTH, RIGHT_MARGIN } from "./plot.js";
import type { PlotRow } from "./plot-panel.js";

interface Gestured {
  rows: readonly PlotRow[];
  selection: Selection;
  frame: Frame | undefined;
  area: RefObject<HTMLElement | null>;
  size: ReadonlySignal<{ width: number }>;
}

interface PlotGestures {
  /** The part that the user is selecting, or null. */
  brush: Signal<TimeWindow | null>;
  zoom: (factor: number, atMs?: number) => void;
  onPointerDown: (event: PointerEvent) => void;
  onPointerMove: (event: PointerEvent) => void;
  onPointerUp: (event: PointerEvent) => void;
  onPointerCancel: (event: PointerEvent) => void;
  onPointerLeave: (event: PointerEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

const WHEEL_ZOOM = 1.0015;
export const BUTTON_ZOOM = 2;
const SHORTEST_BRUSH_PX = 5;
// An arrow key moves the cursor by this share of the visible part.
const KEY_STEP = 1 / 200;

/** Handles pointers, wheel and keys on a column of plots. They move the cursor, the brush and the visible part. */
export function usePlotGestures({ rows, selection, frame, area, size }: Gestured): PlotGestures {
  const { whole, shown, cursorMs } = selection;
  const brush = useSignal<TimeWindow | null>(null);
  const pointers = useRef(new Map<number, number>());
  const pressedAt = useRef<number | null>(null);

  const plotWidth = () => Math.max(1, size.peek().width - AXIS_WIDTH - RIGHT_MARGIN);
  const msPerPixel = () => (shown.peek().stopMs - shown.peek().startMs) / plotWidth();
  const timeAt = (x: number) => {
    const { startMs, stopMs } = shown.peek();
    return Math.min(stopMs, Math.max(startMs, startMs + (x - AXIS_WIDTH) * msPerPixel()));
  };
  const xOf = (event: PointerEvent | WheelEvent) =>
    event.clientX - (area.current?.getBoundingClientRect().left ?? 0);
  const zoom = (factor: number, atMs?: number) => {
    const { startMs, stopMs } = shown.peek();
    const cursor = cursorMs.peek();
    const isCursorShown = cursor !== null && cursor >= startMs && cursor <= stopMs;
    shown.value = zoomed(
      shown.peek(),
      factor,
      atMs ?? (isCursorShown ? cursor : (startMs + stopMs) / 2),
      whole.peek(),
    );
  };
  const showBrushed = () => {
    const brushed = brush.peek();
    brush.value = null;
    if (brushed !== null && brushed.stopMs - brushed.startMs > SHORTEST_BRUSH_PX * msPerPixel()) {
      if (frame === undefined) shown.value = within(brushed, whole.peek());
      else frame.part.value = grainedWindow(brushed);
    }
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, xOf(event));
    pressedAt.current =
      event.pointerType === "mouse" && pointers.current.size === 1 ? timeAt(xOf(event)) : null;
    cursorMs.value = timeAt(xOf(event));
  };
  const onPointerMove = (event: PointerEvent) => {
    const x = xOf(event);
    const before = pointers.current.get(event.pointerId);
    if (before !== undefined && pointers.current.size === 2) {
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1] ?? x;
      pinch(before, x, other);
      pointers.current.set(event.pointerId, x);
      return;
    }
    const atMs = timeAt(x);
    cursorMs.value = atMs;
    if (pressedAt.current !== null) {
      brush.value = { startMs: Math.min(pressedAt.current, atMs), stopMs: Math.max(pressedAt.current, atMs) };
    }
  };
  // the times under the two fingers do not change
  const pinch = (before: number, x: number, other: number) => {
    const distance = Math.max(20, Math.abs(before - other));
    zoom(Math.max(20, Math.abs(x - other)) / distance, timeAt(other));
  };
  const onPointerUp = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId);
    if (pressedAt.current !== null) showBrushed();
    pressedAt.current = null;
  };
  const onWheel = (event: WheelEvent) => {
    const before = shown.peek();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      shown.value = moved(before, (event.deltaX || event.deltaY) * msPerPixel(), whole.peek());
    } else {
      zoom(WHEEL_ZOOM ** -event.deltaY, timeAt(xOf(event)));
    }
    // at the ends of the axis the page scrolls
    const after = shown.peek();
    if (after.startMs !== before.startMs || after.stopMs !== before.stopMs) event.preventDefault();
  };
  const moveCursor = (byMs: number, isBrushing: boolean) => {
    const { startMs, stopMs } = whole.peek();
    const cursor = cursorMs.peek();
    const before = cursor ?? nearestSample(rows, (shown.peek().startMs + shown.peek().stopMs) / 2);
    // the first arrow key only shows the cursor
    const isFirst = cursor === null && !isBrushing && Number.isFinite(byMs);
    const after = isFirst ? before : Math.min(stopMs, Math.max(startMs, before + byMs));
    if (isBrushing) {
      const { startMs: from, stopMs: to } = brush.peek() ?? { startMs: before, stopMs: before };
      const fixed = before === from ? to : from;
      brush.value = { startMs: Math.min(fixed, after), stopMs: Math.max(fixed, after) };
    } else {
      brush.value = null;
    }
    cursorMs.value = after;
    const part = shown.peek();
    if (after < part.startMs) shown.value = moved(part, after - part.startMs, whole.peek());
    if (after > part.stopMs) shown.value = moved(part, after - part.stopMs, whole.peek());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { startMs, stopMs } = shown.peek();
    const actions: Record<string, () => void> = {
      ArrowLeft: () => moveCursor((startMs - stopMs) * KEY_STEP, event.shiftKey),
      ArrowRight: () => moveCursor((stopMs - startMs) * KEY_STEP, event.shiftKey),
      PageUp: () => moveCursor((startMs - stopMs) / 4, event.shiftKey),
      PageDown: () => moveCursor((stopMs - startMs) / 4, event.shiftKey),
      Home: () => moveCursor(Number.NEGATIVE_INFINITY, event.shiftKey),
      End: () => moveCursor(Number.POSITIVE_INFINITY, event.shiftKey),
      "+": () => zoom(BUTTON_ZOOM),
      "=": () => zoom(BUTTON_ZOOM),
      "-": () => zoom(1 / BUTTON_ZOOM),
      Enter: showBrushed,
      Escape: () => {
        if (brush.peek() === null) shown.value = whole.peek();
        brush.value = null;
      },
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  const latestOnWheel = useRef(onWheel);
  latestOnWheel.current = onWheel;
  useEffect(() => {
    const listener = (event: WheelEvent) => latestOnWheel.current(event);
    // passive listeners, such as those of the framework, cannot prevent scrolling of the page
    area.current?.addEventListener("wheel", listener, { passive: false });
    return () => area.current?.removeEventListener("wheel", listener);
  }, []);

  return {
    brush,
    zoom,
    onPointerDown,
    onPointerMove,
    onPointerUp,
    onPointerCancel: onPointerUp,
    onPointerLeave: (event) => {
      if (event.pointerType === "mouse" && pressedAt.current === null) cursorMs.value = null;
    },
    onKeyDown,
  };
}

/** Returns the sample nearest to a position on the axis of the plots, or the position itself if there is no sample. */
function nearestSample(rows: readonly PlotRow[], position: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const { content } of rows) {
    if (!("pyramid" in content)) continue;
    const { timesMs } = content.pyramid.series;
    const at = nearestOf(timesMs, position - content.offsetMs);
    const sample = at === null ? undefined : timesMs[at];
    if (sample === undefined) continue;
    if (Math.abs(sample + content.offsetMs - position) < Math.abs(nearest - position))
      nearest = sample + content.offsetMs;
  }
  return Number.isFinite(nearest) ? nearest : position;
}
