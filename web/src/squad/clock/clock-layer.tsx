import { type ReadonlySignal, useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Frame, FrameBox } from "../../plots/frame-box.js";
import { AXIS_WIDTH, RIGHT_MARGIN } from "../../plots/plot.js";
import { axisTicks } from "../../view/axis.js";
import { timeOfDay } from "../../view/times.js";
import { type ClockRow, columnsOf, drawClock } from "./clock-canvas.js";
import { ClockGestures } from "./clock-gestures.js";
import { type Clock, END_PX, xOf } from "./clock-state.js";
import { intervalText } from "./clock-words.js";
import { markedPart } from "./marked-part.js";
import { extentOf } from "./period-lanes.js";
import type { SessionSprints } from "./sprints.js";
import { stripOf } from "./strips.js";

/** Pixels between round times. */
export const TICK_PX = 82;

interface Props {
  clock: Clock;
  sprints: ReadonlySignal<SessionSprints>;
}

/** Draws a strip for each row over the last column of the table. Handles pointers and keys there. */
export function ClockLayer({ clock, sprints }: Props) {
  const { session } = clock;
  const layer = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const gestures = useMemo(() => new ClockGestures(clock), [clock]);

  const draw = () => {
    const frame = layer.current?.closest<HTMLElement>(".squad-frame");
    if (frame === null || frame === undefined || canvas.current === null) return;
    const place = measure(frame);
    if (place === null) return;
    const { top, ...measured } = place;
    const before = clock.place.peek();
    if (Object.entries(measured).some(([key, value]) => before[key as keyof typeof before] !== value)) {
      clock.place.value = measured;
    }
    const shown = clock.shown.peek();
    const ratio = devicePixelRatio;
    const { width, height } = measured;
    const players = new Map(session.players.peek().map((player) => [player.key, player]));
    const periods = session.periods.peek();
    const { startsMs, limitMmPerS } = sprints.peek();
    const rows = [...frame.querySelectorAll<HTMLElement>("[data-strip]")].flatMap((cell): ClockRow[] => {
      const player = players.get(cell.dataset.strip ?? "");
      const row = cell.closest("tr")?.getBoundingClientRect();
      if (player === undefined || row === undefined) return [];
      const middle = row.top + row.height / 2 - top;
      if (middle < -row.height || middle > height + row.height) return [];
      const starts = startsMs.get(player.key) ?? [];
      const strip = stripOf(player, periods, starts, shown, columnsOf(width, ratio), limitMmPerS);
      return [{ middle, strip }];
    });
    const edgesMs = periods.flatMap((period) => {
      const extent = extentOf(period);
      return extent === null ? [] : [extent.startMs, extent.endMs];
    });
    const ticksMs = axisTicks("clock", shown, width / TICK_PX, session.settings.zone.peek()).at;
    drawClock(canvas.current, { width, height, shown, rows, edgesMs, ticksMs }, ratio);
  };

  const latest = useRef(draw);
  latest.current = draw;
  const redraw = useMemo(() => {
    let asked = 0;
    return () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(() => latest.current());
    };
  }, []);
  useSignalEffect(() => {
    // these signals affect the strips, in addition to the rows
    clock.shown.value;
    session.players.value;
    session.periods.value;
    session.settings.theme.value;
    session.settings.zone.value;
    sprints.value;
    redraw();
  });
  useEffect(() => {
    const frame = layer.current?.closest<HTMLElement>(".squad-frame");
    const table = frame?.querySelector("table");
    if (frame === null || frame === undefined || table === null || table === undefined) return;
    const resizing = new ResizeObserver(redraw);
    resizing.observe(frame);
    resizing.observe(table);
    // rows were added, removed or reordered
    const changing = new MutationObserver(redraw);
    changing.observe(table, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["data-strip"],
    });
    frame.addEventListener("scroll", redraw, { passive: true });
    // the pixel ratio has changed
    addEventListener("resize", redraw);
    return () => {
      resizing.disconnect();
      changing.disconnect();
      frame.removeEventListener("scroll", redraw);
      removeEventListener("resize", redraw);
    };
  }, [redraw]);

  const slider = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = slider.current;
    // passive listeners, such as those of the framework, cannot prevent scrolling of the page
    element?.addEventListener("wheel", gestures.onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", gestures.onWheel);
  }, [gestures]);

  const ends = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ends.current;
    if (element === null) return;
    const endGesture = () => session.periodSteps.endGesture();
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === "Escape") gestures.escape();
    };
    element.addEventListener("pointerup", endGesture);
    element.addEventListener("keyup", endGesture);
    element.addEventListener("keydown", onEscape);
    return () => {
      element.removeEventListener("pointerup", endGesture);
      element.removeEventListener("keyup", endGesture);
      element.removeEventListener("keydown", onEscape);
    };
  }, [gestures, session]);

  const { left, width, height, bottom } = clock.place.value;
  const shown = clock.shown.value;
  const whole = clock.whole.value;
  const cursor = session.cursorMs.value;
  const zone = session.settings.zone.value;
  const part = useMemo(() => markedPart(clock), [clock]);
  const plotWidth = useComputed(() => ({
    width: clock.place.value.width - 2 * END_PX + AXIS_WIDTH + RIGHT_MARGIN,
  }));
  const brush = clock.brush.value;
  const period = session.scope.value;
  const frame: Frame = {
    part,
    name: period.kind === "period" ? `period ${period.name}` : "selection",
    textOf: (ms) => timeOfDay(ms, zone),
  };
  const cursorText = cursor === null ? "No instant chosen" : timeOfDay(cursor, zone);
  return (
    <div class="clock" ref={layer}>
      <div
        class="clock-body"
        style={{ left: `${left}px`, width: `${width}px`, height: `${height}px`, bottom: `${bottom}px` }}
      >
        <canvas ref={canvas} />
        {cursor === null || cursor < shown.startMs || cursor > shown.stopMs ? null : (
          <i class="clock-cursor" style={{ left: `${xOf(cursor, shown, width)}px` }} />
        )}
        <div
          ref={slider}
          class="clock-slider"
          role="slider"
          tabIndex={0}
          aria-label="Clock"
          aria-valuemin={whole.startMs}
          aria-valuemax={whole.stopMs}
          aria-valuenow={cursor ?? shown.startMs}
          aria-valuetext={
            brush === null ? cursorText : `${cursorText}, selected ${intervalText(brush, zone)}`
          }
          onPointerDown={gestures.onPointerDown}
          onPointerMove={gestures.onPointerMove}
          onPointerUp={(event) => {
            if (!gestures.onPointerUp(event)) return;
            const key = playerAt(event);
            if (key !== null) session.chosen.value = key;
          }}
          onPointerCancel={gestures.onPointerUp}
          onKeyDown={gestures.onKeyDown}
        />
        <div
          ref={ends}
          class="clock-frame"
          style={{ left: `${END_PX - AXIS_WIDTH}px`, right: `${END_PX - RIGHT_MARGIN}px` }}
        >
          <FrameBox frame={frame} selection={clock} width={plotWidth} />
        </div>
      </div>
    </div>
  );
}

/** Measures the positions of the visible rows in the last column. Returns null before the table is laid out. */
function measure(frame: HTMLElement) {
  const table = frame.querySelector("table");
  const head = table?.tHead?.querySelector(".last")?.getBoundingClientRect();
  const foot = table?.tFoot?.getBoundingClientRect();
  const summary = table?.tFoot?.querySelector("th")?.getBoundingClientRect();
  if (table === null || table === undefined || head === undefined) return null;
  const box = frame.getBoundingClientRect();
  const end = Math.min(table.getBoundingClientRect().bottom, box.top + frame.clientTop + frame.clientHeight);
  // without figures the table has no footer
  const lower = Math.min(summary?.top ?? end, foot?.top ?? end);
  return {
    top: head.bottom,
    left: head.left - box.left - frame.clientLeft,
    width: head.width,
    height: Math.max(0, lower - head.bottom),
    bottom: end - lower,
  };
}

/** Returns the player of the row under a pointer. */
function playerAt({ currentTarget, clientY }: PointerEvent): string | null {
  const frame = (currentTarget as Element).closest(".squad-frame");
  for (const cell of frame?.querySelectorAll<HTMLElement>("[data-strip]") ?? []) {
    const row = cell.closest("tr")?.getBoundingClientRect();
    if (row !== undefined && clientY >= row.top && clientY < row.bottom) return cell.dataset.strip ?? null;
  }
  return null;
}
