import { decimal } from "../view/values.js";
import type { TimeWindow } from "../view/window.js";
import type { Columns } from "./columns.js";
import type { Pyramid } from "./pyramid.js";

/** Space for labels to the left of every plot, and the margin to its right, CSS pixels. */
export const AXIS_WIDTH = 46;
export const RIGHT_MARGIN = 24;
export const TIME_AXIS_HEIGHT = 26;
export const TOP_MARGIN = 8;
const LABEL_GAP = 6;
const LEAST_PIXELS_PER_TICK = 28;
const FONT = "11px system-ui, sans-serif";
// If fewer values than this are visible, each value is a dot.
const FEW_VALUES = 80;
const DOT_RADIUS = 2;
const MARK_HEIGHT = 6;

/** The style of a plot, with colours in the syntax of a canvas. */
export interface PlotLook {
  /** Factor from the stored values to the unit of the axis. */
  factor: number;
  /** Lowest and highest value of the axis, in its unit. */
  range: [number, number];
  line: string;
  band: string;
  grid: string;
  text: string;
  hasTimeAxis: boolean;
  hasValueAxis: boolean;
  ticks: { at: number[]; labels: string[] };
}

export interface PlotContent {
  pyramid: Pyramid;
  /** Position on the axis minus time of the recording, ms. */
  offsetMs: number;
}

/** Values on the axis of the page. */
export interface Drawn {
  columns: Columns;
  offsetMs: number;
  /** Positions of marks at the top. */
  marks: readonly number[];
}

/** Draws one quantity over time, with axes, the band from minimum to maximum, and the line of means. */
export function drawPlot(
  canvas: HTMLCanvasElement,
  { columns, offsetMs, marks }: Drawn,
  shown: TimeWindow,
  width: number,
  height: number,
  look: PlotLook,
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  const left = AXIS_WIDTH;
  const right = Math.max(left + 1, width - RIGHT_MARGIN);
  const top = TOP_MARGIN;
  const bottom = height - (look.hasTimeAxis ? TIME_AXIS_HEIGHT : TOP_MARGIN);
  const xScale = (right - left) / Math.max(1, shown.stopMs - shown.startMs);
  const [lowest, highest] = look.range;
  const yScale = (bottom - top) / Math.max(Number.MIN_VALUE, highest - lowest);
  const xAt = (position: number) => left + (position - shown.startMs) * xScale;
  const yAt = (value: number) => bottom - (value - lowest) * yScale;

  drawAxes(context, { left, right, top, bottom, height, xAt, yAt }, look);
  context.beginPath();
  context.rect(left, 0, right - left, height);
  context.clip();
  const xOf = (i: number) => xAt((columns.timesMs[i] as number) + offsetMs);
  const yOf = (values: Columns["mean"], i: number) => yAt((values[i] as number) * look.factor);
  const runs = runsOf(columns.mean);
  if (!columns.isExact) {
    context.fillStyle = look.band;
    for (const { from, to } of runs) {
      context.beginPath();
      for (let i = from; i < to; i++) context.lineTo(xOf(i), yOf(columns.maximum, i));
      for (let i = to - 1; i >= from; i--) context.lineTo(xOf(i), yOf(columns.minimum, i));
      context.fill();
    }
  }
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.strokeStyle = look.line;
  context.fillStyle = look.line;
  context.beginPath();
  for (const { from, to } of runs) {
    context.moveTo(xOf(from), yOf(columns.mean, from));
    for (let i = from + 1; i < to; i++) context.lineTo(xOf(i), yOf(columns.mean, i));
  }
  context.stroke();
  const isFew = columns.timesMs.length < FEW_VALUES;
  for (const { from, to } of runs) {
    // a single value between gaps has no line, so it is always a dot
    if (!isFew && to - from > 1) continue;
    for (let i = from; i < to; i++) {
      context.beginPath();
      context.arc(xOf(i), yOf(columns.mean, i), DOT_RADIUS, 0, 2 * Math.PI);
      context.fill();
    }
  }
  for (const position of marks) context.fillRect(xAt(position) - 0.75, 1, 1.5, MARK_HEIGHT);
}

interface Place {
  left: number;
  right: number;
  top: number;
  bottom: number;
  height: number;
  xAt(position: number): number;
  yAt(value: number): number;
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { left, right, top, bottom, height, xAt, yAt }: Place,
  look: PlotLook,
): void {
  const { ticks, range, hasTimeAxis, hasValueAxis } = look;
  context.font = FONT;
  context.strokeStyle = look.grid;
  context.fillStyle = look.text;
  context.lineWidth = 1;
  context.beginPath();
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const [i, position] of ticks.at.entries()) {
    const x = xAt(position);
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    if (hasTimeAxis) context.fillText(ticks.labels[i] ?? "", x, height - TIME_AXIS_HEIGHT + LABEL_GAP);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  const { values, decimals } = valueTicks(range, (bottom - top) / LEAST_PIXELS_PER_TICK);
  for (const value of hasValueAxis ? values : []) {
    const y = yAt(value);
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.fillText(decimal(value, decimals), left - LABEL_GAP, y);
  }
  context.stroke();
}

/** Returns at most `count` round values within a range, and the number of decimals that distinguishes them. */
export function valueTicks(
  [lowest, highest]: [number, number],
  count: number,
): { values: number[]; decimals: number } {
  const least = (highest - lowest) / Math.max(1, count);
  if (!(least > 0 && least < Number.POSITIVE_INFINITY)) return { values: [], decimals: 0 };
  const power = Math.floor(Math.log10(least));
  const unit = 10 ** power;
  const factor = [1, 2, 5, 10].find((one) => one * unit >= least * (1 - 1e-9)) ?? 10;
  const step = factor * unit;
  const decimals = Math.max(0, -(factor === 10 ? power + 1 : power));
  const values: number[] = [];
  for (let i = Math.ceil(lowest / step - 1e-9); i * step <= highest + step * 1e-9; i++)
    values.push(i * step + 0); // this avoids -0
  return { values, decimals };
}

/** Returns the ranges of entries without a gap. */
function runsOf(values: readonly (number | null)[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let from = -1;
  for (let i = 0; i <= values.length; i++) {
    const hasValue = i < values.length && values[i] !== null;
    if (hasValue && from < 0) from = i;
    if (!hasValue && from >= 0) {
      runs.push({ from, to: i });
      from = -1;
    }
  }
  return runs;
}
