import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useSize } from "../view/element-size.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { isWhole, moved, within } from "../view/window.js";
import { columnsIn } from "./columns.js";
import { AXIS_WIDTH, type PlotContent, RIGHT_MARGIN } from "./plot.js";

interface Props {
  selection: Selection;
  /** The plotted series. */
  contents: PlotContent[];
  settings: Settings;
  /** Marked instants. */
  marks?: ReadonlySignal<readonly number[]> | undefined;
}

const HEIGHT = 34;

/** The complete time axis, with a movable frame around the visible part. */
export function Overview({ selection, contents, settings, marks }: Props) {
  const { whole, shown } = selection;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const drag = useRef<{ startX: number; from: { startMs: number; stopMs: number } } | null>(null);

  const drawAll = () => {
    settings.theme.value;
    const { width } = size.value;
    if (canvas.current !== null && width > 0) draw(canvas.current, width, whole.value, contents);
  };
  useSignalEffect(drawAll);
  useEffect(drawAll, [contents]);

  useSignalEffect(() => {
    const { startMs, stopMs } = whole.value;
    const part = shown.value;
    const lengthMs = Math.max(1, stopMs - startMs);
    if (frame.current === null) return;
    frame.current.hidden = isWhole(part, whole.value);
    frame.current.style.left = `${((part.startMs - startMs) / lengthMs) * 100}%`;
    frame.current.style.width = `${((part.stopMs - part.startMs) / lengthMs) * 100}%`;
  });

  const msPerPixel = () => (whole.peek().stopMs - whole.peek().startMs) / Math.max(1, size.peek().width);
  const onPointerDown = (event: PointerEvent) => {
    const { startMs } = whole.peek();
    const at = startMs + offsetIn(event) * msPerPixel();
    const part = shown.peek();
    if (at < part.startMs || at > part.stopMs) {
      const half = (part.stopMs - part.startMs) / 2;
      shown.value = within({ startMs: at - half, stopMs: at + half }, whole.peek());
    }
    drag.current = { startX: event.clientX, from: shown.peek() };
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current === null) return;
    const byMs = (event.clientX - drag.current.startX) * msPerPixel();
    shown.value = moved(drag.current.from, byMs, whole.peek());
  };
  const onPointerUp = () => {
    drag.current = null;
  };

  const { startMs, stopMs } = whole.value;
  return (
    <div
      class="overview"
      style={{ margin: `0 ${RIGHT_MARGIN}px 0 ${AXIS_WIDTH}px`, height: `${HEIGHT}px` }}
      ref={box}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <canvas ref={canvas} />
      {marks?.value.map((ms) => (
        <i
          class="mark"
          key={ms}
          style={{ left: `${((ms - startMs) / Math.max(1, stopMs - startMs)) * 100}%` }}
        />
      ))}
      <div class="overview-frame" ref={frame} hidden />
    </div>
  );
}

function offsetIn(event: PointerEvent): number {
  return event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
}

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  whole: { startMs: number; stopMs: number },
  contents: PlotContent[],
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  context.fillStyle = getComputedStyle(canvas).getPropertyValue("--speed");
  for (const { pyramid, offsetMs } of contents) {
    const own = { startMs: whole.startMs - offsetMs, stopMs: whole.stopMs - offsetMs };
    const { timesMs, maximum } = columnsIn(pyramid, own, Math.floor(width));
    const highest = maximum.reduce<number>((most, value) => Math.max(most, value ?? 0), 1);
    const pixelsPerMs = width / Math.max(1, own.stopMs - own.startMs);
    for (const [i, ms] of timesMs.entries()) {
      const value = maximum[i];
      if (value === null || value === undefined) continue;
      const height = Math.max(1, (value / highest) * (HEIGHT - 4));
      context.fillRect((ms - own.startMs) * pixelsPerMs, HEIGHT - height, 1, height);
    }
  }
}
