import type { ReadonlySignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Selection } from "../view/selection.js";
import { shareOf, type TimeWindow } from "../view/window.js";
import { AXIS_WIDTH, RIGHT_MARGIN } from "./plot.js";

/** A marked part of the time axis that the user can change. */
export interface Frame {
  /** The marked part, in a signal or in a computed value with a setter. It is null while no part is marked. */
  part: { value: TimeWindow | null };
  /** The name of the part in the names of its handles, such as "Start of the time frame". */
  name: string;
  /** An instant in words. */
  textOf: (ms: number) => string;
}

/** Ends are whole seconds, because users cannot drag more precisely. */
const GRAIN_MS = 1000;
const SHORTEST_MS = 1000;

export function grainedWindow({ startMs, stopMs }: TimeWindow): TimeWindow {
  const start = Math.round(startMs / GRAIN_MS) * GRAIN_MS;
  return { startMs: start, stopMs: Math.max(start + SHORTEST_MS, Math.round(stopMs / GRAIN_MS) * GRAIN_MS) };
}

type End = "start" | "stop";
const STEPS_MS: Record<string, number> = {
  ArrowLeft: -1000,
  ArrowDown: -1000,
  ArrowRight: 1000,
  ArrowUp: 1000,
  PageDown: -60_000,
  PageUp: 60_000,
};
// With Shift, an arrow key moves an end by ten steps.
const SHIFT_STEPS = 10;

interface Props {
  frame: Frame;
  selection: Pick<Selection, "whole"> & { shown: ReadonlySignal<TimeWindow> };
  width: ReadonlySignal<{ width: number }>;
}

/** The marked part over the plots. A handle moves each end, and a grip moves the whole part. */
export function FrameBox({ frame, selection, width }: Props) {
  const part = frame.part.value;
  const drag = useRef<{ x: number; from: TimeWindow } | null>(null);
  if (part === null) return null;
  const { shown, whole } = selection;
  const msPerPixel = () =>
    (shown.peek().stopMs - shown.peek().startMs) /
    Math.max(1, width.peek().width - AXIS_WIDTH - RIGHT_MARGIN);
  const limit = (ms: number) => Math.min(whole.peek().stopMs, Math.max(whole.peek().startMs, ms));

  const moveEnd = (end: End, from: TimeWindow, toMs: number) => {
    const at = Math.round(limit(toMs) / GRAIN_MS) * GRAIN_MS;
    frame.part.value =
      end === "start"
        ? { startMs: Math.min(at, from.stopMs - SHORTEST_MS), stopMs: from.stopMs }
        : { startMs: from.startMs, stopMs: Math.max(at, from.startMs + SHORTEST_MS) };
  };
  const moveBoth = (from: TimeWindow, byMs: number) => {
    const { startMs, stopMs } = whole.peek();
    const by = Math.round(byMs / GRAIN_MS) * GRAIN_MS;
    const kept = Math.max(
      Math.min(0, startMs - from.startMs),
      Math.min(Math.max(0, stopMs - from.stopMs), by),
    );
    frame.part.value = { startMs: from.startMs + kept, stopMs: from.stopMs + kept };
  };
  const dragging = (onMove: (from: TimeWindow, byMs: number) => void) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.stopPropagation();
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      drag.current = { x: event.clientX, from: part };
    },
    onPointerMove: (event: PointerEvent) => {
      if (drag.current === null) return;
      onMove(drag.current.from, (event.clientX - drag.current.x) * msPerPixel());
    },
    onPointerUp: () => {
      drag.current = null;
    },
    onPointerCancel: () => {
      drag.current = null;
    },
  });
  const onKeyDown = (end: End) => (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const before = end === "start" ? part.startMs : part.stopMs;
    const stepMs = STEPS_MS[event.key];
    const target =
      event.key === "Home"
        ? whole.peek().startMs
        : event.key === "End"
          ? whole.peek().stopMs
          : stepMs === undefined
            ? null
            : before + stepMs * (event.shiftKey ? SHIFT_STEPS : 1);
    if (target === null) return;
    event.preventDefault();
    moveEnd(end, part, target);
  };

  const left = shareOf(part.startMs, shown.value);
  const right = shareOf(part.stopMs, shown.value);
  const inner = `(100% - ${AXIS_WIDTH + RIGHT_MARGIN}px)`;
  const at = (share: number) => `calc(${AXIS_WIDTH}px + ${share} * ${inner})`;
  const handle = (end: End) => {
    const ms = end === "start" ? part.startMs : part.stopMs;
    const { startMs, stopMs } = shown.value;
    return (
      <div
        class={`frame-handle of-${end}`}
        role="slider"
        tabIndex={0}
        aria-label={`${end === "start" ? "Start" : "End"} of the ${frame.name}`}
        aria-valuemin={whole.value.startMs}
        aria-valuemax={whole.value.stopMs}
        aria-valuenow={ms}
        aria-valuetext={frame.textOf(ms)}
        // the keyboard can reach the handle even outside the plot
        data-beyond={ms < startMs || ms > stopMs ? "" : undefined}
        style={{ left: at(end === "start" ? left : right) }}
        onKeyDown={onKeyDown(end)}
        {...dragging((from, byMs) =>
          moveEnd(end, from, (end === "start" ? from.startMs : from.stopMs) + byMs),
        )}
      />
    );
  };
  return (
    <>
      <div class="frame" style={{ left: at(left), width: `calc(${right - left} * ${inner})` }}>
        <div class="frame-grip" aria-hidden="true" {...dragging(moveBoth)} />
      </div>
      {handle("start")}
      {handle("stop")}
    </>
  );
}
