import type { TimeWindow } from "../../view/window.js";
import { END_PX, xOf } from "./clock-state.js";
import { COLOUR_STEPS, OFF, type Strip } from "./strips.js";
import "./strip-colours.css";

const STRIP_PX = 16;
const LINE_PX = 2;
const SPRINT_PX = { width: 1.5, height: 6 };
const POST_PX = { width: 1.5, height: 20 };
const MARK_PX = 6;

/** A visible row of the table. */
export interface ClockRow {
  /** The middle of the row, CSS pixels from the upper edge of the clock. */
  middle: number;
  strip: Strip;
}

export interface ClockDrawing {
  width: number;
  height: number;
  shown: TimeWindow;
  rows: readonly ClockRow[];
  /** The ends of periods, ms since 1970 UTC. */
  edgesMs: readonly number[];
  /** Round times, ms since 1970 UTC. */
  ticksMs: readonly number[];
}

/** Returns the number of device pixels for the time. */
export const columnsOf = (width: number, ratio: number): number =>
  Math.max(1, Math.round((width - 2 * END_PX) * ratio));

/** Draws all strips. Sets the size of the canvas in device pixels. */
export function drawClock(
  canvas: HTMLCanvasElement,
  { width, height, ...drawing }: ClockDrawing,
  ratio: number,
): void {
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext("2d");
  if (context === null) return;
  const colours = coloursOf(canvas);
  const at = (ms: number) => xOf(ms, drawing.shown, width);
  // strips are drawn in device pixels, everything else in CSS pixels
  const left = Math.round(END_PX * ratio);
  const line = Math.max(1, Math.round(LINE_PX * ratio));
  const full = Math.round(STRIP_PX * ratio);
  context.fillStyle = colours.grid;
  for (const ms of drawing.ticksMs) context.fillRect(Math.round(at(ms) * ratio), 0, 1, canvas.height);
  for (const { middle, strip } of drawing.rows) {
    const top = Math.round((middle - STRIP_PX / 2) * ratio);
    for (const { from, to, level } of strip.runs) {
      if (level === OFF) {
        context.fillStyle = colours.off;
        context.fillRect(left + from, top + Math.round((full - line) / 2), to - from, line);
      } else {
        context.fillStyle = colours.speeds[level] ?? "";
        context.fillRect(left + from, top, to - from, full);
      }
    }
  }
  context.scale(ratio, ratio);
  context.fillStyle = colours.edge;
  for (const ms of drawing.edgesMs) {
    if (isWithin(ms, drawing.shown)) context.fillRect(at(ms) - 0.5, 0, 1, height);
  }
  for (const { middle, strip } of drawing.rows) drawSigns(context, strip, middle, at, drawing.shown, colours);
}

const isWithin = (ms: number, { startMs, stopMs }: TimeWindow) => ms >= startMs && ms <= stopMs;

function drawSigns(
  context: CanvasRenderingContext2D,
  { sprintsMs, damage, joints, changes }: Strip,
  middle: number,
  at: (ms: number) => number,
  shown: TimeWindow,
  colours: Colours,
): void {
  const top = middle - STRIP_PX / 2;
  for (const { startMs, endMs } of damage) {
    if (endMs <= shown.startMs || startMs >= shown.stopMs) continue;
    const from = at(Math.max(startMs, shown.startMs));
    hatch(context, from, top, Math.max(2, at(Math.min(endMs, shown.stopMs)) - from), colours);
  }
  context.fillStyle = colours.sprint;
  for (const ms of sprintsMs) {
    if (isWithin(ms, shown)) context.fillRect(at(ms), top, SPRINT_PX.width, SPRINT_PX.height);
  }
  context.fillStyle = colours.text;
  for (const ms of joints.flatMap(({ startMs, endMs }) => [startMs, endMs])) {
    if (!isWithin(ms, shown)) continue;
    context.fillRect(at(ms) - POST_PX.width / 2, middle - POST_PX.height / 2, POST_PX.width, POST_PX.height);
  }
  for (const { atMs, kind } of changes) {
    if (!isWithin(atMs, shown)) continue;
    // ▶ before the strip, ◀ after the strip
    const outwards = kind === "on" ? -1 : 1;
    const tip = at(atMs) + outwards * 2;
    context.beginPath();
    context.moveTo(tip, middle);
    context.lineTo(tip + outwards * MARK_PX, middle - MARK_PX / 2 - 0.5);
    context.lineTo(tip + outwards * MARK_PX, middle + MARK_PX / 2 + 0.5);
    context.fill();
  }
}

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  width: number,
  colours: Colours,
): void {
  context.save();
  context.beginPath();
  context.rect(x, top, width, STRIP_PX);
  context.fillStyle = colours.panel;
  context.fill();
  context.clip();
  context.strokeStyle = colours.bad;
  context.lineWidth = 1.2;
  context.beginPath();
  for (let from = x - STRIP_PX; from < x + width; from += 4) {
    context.moveTo(from, top + STRIP_PX);
    context.lineTo(from + STRIP_PX, top);
  }
  context.stroke();
  context.strokeRect(x + 0.5, top + 0.5, width - 1, STRIP_PX - 1);
  context.restore();
}

interface Colours {
  /** The colours from standing to the fastest mean. */
  speeds: readonly string[];
  off: string;
  edge: string;
  grid: string;
  sprint: string;
  bad: string;
  panel: string;
  text: string;
}

/** Reads the colours of the theme, because a canvas does not resolve custom properties. */
function coloursOf(canvas: HTMLCanvasElement): Colours {
  const style = getComputedStyle(canvas);
  const named = (name: string) => style.getPropertyValue(name).trim();
  const stops = [0, 1, 2, 3, 4].map((i) => named(`--strip-${i}`).split(" ").map(Number));
  return {
    speeds: Array.from({ length: COLOUR_STEPS }, (_, i) => between(stops, i / (COLOUR_STEPS - 1))),
    off: named("--strip-off"),
    edge: named("--strip-edge"),
    grid: named("--grid"),
    sprint: named("--band-4"),
    bad: named("--bad"),
    panel: named("--panel"),
    text: named("--text"),
  };
}

function between(stops: readonly (readonly number[])[], share: number): string {
  const place = share * (stops.length - 1);
  const from = Math.min(stops.length - 2, Math.floor(place));
  const channels = (stops[from] ?? []).map((channel, i) =>
    Math.round(channel + ((stops[from + 1]?.[i] ?? channel) - channel) * (place - from)),
  );
  return `rgb(${channels.join(" ")})`;
}
