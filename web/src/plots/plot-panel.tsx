import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Axis, axisTicks } from "../view/axis.js";
import { oneAtATime } from "../view/latest.js";
import type { Settings } from "../view/settings.js";
import type { TimeWindow } from "../view/window.js";
import { columnsIn } from "./columns.js";
import {
  AXIS_WIDTH,
  type Drawn,
  drawPlot,
  type PlotContent,
  RIGHT_MARGIN,
  TIME_AXIS_HEIGHT,
} from "./plot.js";

/** Values that only the worker has. The plot requests them for each part. */
export interface RemoteContent {
  /** @param pixels number of columns of the plot */
  columnsOf(shown: TimeWindow, pixels: number): Promise<RemoteColumns>;
}

export interface RemoteColumns extends Drawn {
  /** Lowest and highest value of an axis that has no labels. */
  range: [number, number];
}

/** One row of the stack of plots. */
export interface PlotRow {
  key: string;
  label: string;
  unit: string;
  /** CSS colours of the line of means, and of the band from minimum to maximum. */
  line: string;
  band: string;
  content: PlotContent | RemoteContent;
  /** Factor from the stored values to the unit of the axis. */
  factor: number;
  decimals: number;
  /** Lowest and highest value of the axis, in its unit. */
  range: [number, number];
  /** The height in CSS pixels, without the time axis. */
  height: number;
}

interface Props {
  row: PlotRow;
  hasTimeAxis: boolean;
  width: ReadonlySignal<{ width: number }>;
  shown: ReadonlySignal<TimeWindow>;
  settings: Settings;
  axis: Axis;
}

const PIXELS_PER_TICK = 82;
const NOTHING: RemoteColumns = {
  columns: { timesMs: [], mean: [], minimum: [], maximum: [], isExact: true },
  offsetMs: 0,
  marks: [],
  range: [0, 1],
};

export function PlotPanel({ row, hasTimeAxis, width, shown, settings, axis }: Props) {
  const height = row.height + (hasTimeAxis ? TIME_AXIS_HEIGHT : 0);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef({ row, axis });
  latest.current = { row, axis };
  const received = useRemote(row.content, shown, width);

  const draw = () => {
    const part = shown.value;
    const pixels = width.value.width;
    const remote = received.value;
    const zone = settings.zone.value;
    settings.theme.value;
    const element = canvas.current;
    if (element === null || pixels === 0) return;
    const { row, axis } = latest.current;
    const style = getComputedStyle(element);
    // a canvas does not resolve custom properties
    const colour = (text: string) =>
      text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
    const { content } = row;
    const drawn = isInPage(content) ? drawnOf(content, part, pixels) : remote;
    drawPlot(element, drawn, part, pixels, height, {
      factor: row.factor,
      range: drawn.range ?? row.range,
      line: colour(row.line),
      band: colour(row.band),
      grid: colour("var(--grid)"),
      text: colour("var(--muted)"),
      hasTimeAxis,
      hasValueAxis: drawn.range === undefined,
      ticks: axisTicks(axis, part, pixels / PIXELS_PER_TICK, zone),
    });
  };
  useSignalEffect(draw);
  // a change of units or of the compared recordings also changes the row
  useEffect(draw, [row, axis, hasTimeAxis]);

  return (
    <div class="plot" style={{ height: `${height}px` }}>
      <canvas ref={canvas} />
    </div>
  );
}

export function isInPage(content: PlotContent | RemoteContent): content is PlotContent {
  return "pyramid" in content;
}

function columnCount(width: number): number {
  return Math.max(1, Math.floor(width - AXIS_WIDTH - RIGHT_MARGIN));
}

function drawnOf(
  { pyramid, offsetMs }: PlotContent,
  shown: TimeWindow,
  width: number,
): Drawn & { range?: undefined } {
  const own = { startMs: shown.startMs - offsetMs, stopMs: shown.stopMs - offsetMs };
  return { columns: columnsIn(pyramid, own, columnCount(width)), offsetMs, marks: [] };
}

/** Returns the last data from the worker, or undefined if the page has the values. */
function useRemote(
  content: PlotContent | RemoteContent,
  shown: ReadonlySignal<TimeWindow>,
  width: Props["width"],
): ReadonlySignal<RemoteColumns> {
  const received = useSignal(NOTHING);
  const ask = useMemo(
    () =>
      oneAtATime(async () => {
        if (isInPage(content) || width.peek().width === 0) return;
        try {
          received.value = await content.columnsOf(shown.peek(), columnCount(width.peek().width));
        } catch {
          // The recording was closed in the meantime. The last data stay.
        }
      }),
    [content, shown, width, received],
  );
  useSignalEffect(() => {
    shown.value;
    width.value;
    ask();
  });
  useEffect(ask, [ask]);
  return received;
}
