import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Axis } from "../view/axis.js";
import { useSize } from "../view/element-size.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { isWhole, shareOf, type TimeWindow } from "../view/window.js";
import { type Frame, FrameBox } from "./frame-box.js";
import { Overview } from "./overview.js";
import { AXIS_WIDTH, type PlotContent, RIGHT_MARGIN } from "./plot.js";
import { PlotPanel, type PlotRow } from "./plot-panel.js";
import { BUTTON_ZOOM, usePlotGestures } from "./use-plot-gestures.js";

interface Props {
  rows: PlotRow[];
  selection: Selection;
  settings: Settings;
  overview: PlotContent[];
  /** Describes the instant under the cursor for screen readers. */
  describeCursor: (ms: number) => string;
  /** Instants that the overview marks. */
  marks?: ReadonlySignal<readonly number[]> | undefined;
  axis: Axis;
  /** A part that the user marks. Dragging over a plot then changes the mark instead of zooming in. */
  frame?: Frame | undefined;
  /** Readouts above the plots. */
  children?: ComponentChildren;
}

/** A column of plots that share a time axis, a cursor and a brush. */
export function PlotStack({
  rows,
  selection,
  settings,
  overview,
  describeCursor,
  marks,
  axis,
  frame,
  children,
}: Props) {
  const { whole, shown, cursorMs } = selection;
  const area = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const size = useSize(area);
  const { brush, zoom, ...handlers } = usePlotGestures({ rows, selection, frame, area, size });

  useSignalEffect(() => {
    const { startMs, stopMs } = shown.value;
    const cursor = cursorMs.value;
    const { width } = size.value;
    if (line.current === null) return;
    const isVisible = cursor !== null && cursor >= startMs && cursor <= stopMs;
    line.current.hidden = !isVisible;
    if (!isVisible) return;
    const x =
      AXIS_WIDTH + ((cursor - startMs) / Math.max(1, stopMs - startMs)) * (width - AXIS_WIDTH - RIGHT_MARGIN);
    line.current.style.transform = `translateX(${x}px)`;
  });

  const { value: cursor } = cursorMs;
  const part = shown.value;
  const isAll = isWhole(part, whole.value);
  return (
    <div class="plots">
      <div class="plots-head">
        <div class="plots-children">{children}</div>
        <div class="buttons">
          <button
            type="button"
            aria-label="Zoom in on the plots"
            disabled={part.stopMs - part.startMs <= 1000}
            onClick={() => zoom(BUTTON_ZOOM)}
          >
            +
          </button>
          <button
            type="button"
            aria-label="Zoom out of the plots"
            disabled={isAll}
            onClick={() => zoom(1 / BUTTON_ZOOM)}
          >
            −
          </button>
          <button
            type="button"
            disabled={isAll}
            onClick={() => {
              shown.value = whole.peek();
            }}
          >
            All
          </button>
        </div>
      </div>
      <Overview selection={selection} contents={overview} settings={settings} marks={marks} />
      <div class="plots-area" ref={area}>
        {rows.map((row, i) => (
          <section key={row.key} aria-label={row.label}>
            <h2 class="plot-title">
              <i class="dot" style={{ background: row.line }} />
              {row.label} <span class="unit">{row.unit}</span>
            </h2>
            <PlotPanel
              row={row}
              hasTimeAxis={i === rows.length - 1}
              width={size}
              shown={shown}
              settings={settings}
              axis={axis}
            />
          </section>
        ))}
        <BrushBox brush={brush} selection={selection} />
        <div class="cursor-line" ref={line} hidden />
        <div
          class="plots-cursor"
          role="slider"
          tabIndex={0}
          aria-label="Cursor over the plots"
          aria-valuemin={whole.value.startMs}
          aria-valuemax={whole.value.stopMs}
          aria-valuenow={cursor ?? part.startMs}
          aria-valuetext={cursor === null ? "No instant chosen" : describeCursor(cursor)}
          {...handlers}
        />
        {frame === undefined ? null : <FrameBox frame={frame} selection={selection} width={size} />}
      </div>
      {frame === undefined ? (
        <p class="hint">
          Drag over a plot to zoom in on it, scroll to zoom, Shift and scroll to move. Keys: ← → cursor, with
          Shift select and Enter show, + − zoom, Esc all.
        </p>
      ) : (
        <p class="hint">
          Drag over a plot to mark the {frame.name}, drag its ends to change it; scroll to zoom, Shift and
          scroll to move. Keys: ← → cursor, with Shift select and Enter mark, + − zoom; on an end ← → move it
          by a second, with Shift by ten.
        </p>
      )}
    </div>
  );
}

function BrushBox({ brush, selection }: { brush: { value: TimeWindow | null }; selection: Selection }) {
  const brushed = brush.value;
  if (brushed === null) return null;
  const from = shareOf(brushed.startMs, selection.shown.value);
  const inner = `(100% - ${AXIS_WIDTH + RIGHT_MARGIN}px)`;
  return (
    <div
      class="brush"
      style={{
        left: `calc(${AXIS_WIDTH}px + ${from} * ${inner})`,
        width: `calc(${shareOf(brushed.stopMs, selection.shown.value) - from} * ${inner})`,
      }}
    />
  );
}
