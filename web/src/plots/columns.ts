import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import { extentOf, type Pyramid } from "./pyramid.js";

/** The data of a plot, with one entry for each column of pixels, or for each value if there are few values. Null marks a gap. */
export interface Columns {
  timesMs: number[];
  mean: (number | null)[];
  minimum: (number | null)[];
  maximum: (number | null)[];
  /** Whether the entries are the values themselves. */
  isExact: boolean;
}

/**
 * Reduces the visible part of a series to at most two entries for each column of pixels. Peaks are preserved, because each entry has the
 * minimum and maximum of its column.
 */
export function columnsIn(pyramid: Pyramid, shown: TimeWindow, pixels: number): Columns {
  const { timesMs } = pyramid.series;
  // one value at or beyond each end extends the lines to the edge
  const from = Math.max(0, indexAt(timesMs, shown.startMs) - 1);
  const to = Math.min(timesMs.length, indexAt(timesMs, shown.stopMs) + 1);
  return to - from <= 2 * pixels ? eachValue(pyramid, from, to) : eachPixel(pyramid, from, to, shown, pixels);
}

function eachValue({ series }: Pyramid, from: number, to: number): Columns {
  const columns = noColumns(true);
  for (let at = from; at < to; at++) {
    const ms = series.timesMs[at] as number;
    const previous = at > from ? (series.timesMs[at - 1] as number) : ms;
    if (at > from && series.gapsAfter.has(at - 1)) addGap(columns, (ms + previous) / 2);
    const value = series.values[at] as number;
    add(columns, ms, value, value, value);
  }
  return columns;
}

function eachPixel(pyramid: Pyramid, from: number, to: number, shown: TimeWindow, pixels: number): Columns {
  const { timesMs, gapsAfter } = pyramid.series;
  const columns = noColumns(false);
  const perPixel = (shown.stopMs - shown.startMs) / pixels;
  for (let at = from, pixel = 0; at < to; pixel++) {
    const next =
      pixel === pixels ? to : Math.min(to, indexAt(timesMs, shown.startMs + (pixel + 1) * perPixel));
    if (next <= at) continue;
    const ms = timesMs[at] as number;
    const previous = timesMs[at - 1] ?? ms;
    if (gapsAfter.has(at - 1) && ms - previous > perPixel) addGap(columns, (ms + previous) / 2);
    const extent = extentOf(pyramid, at, next);
    const middle = shown.startMs + (pixel + 0.5) * perPixel;
    if (extent !== null) add(columns, Math.max(ms, middle), extent.mean, extent.minimum, extent.maximum);
    at = next;
  }
  return columns;
}

function noColumns(isExact: boolean): Columns {
  return { timesMs: [], mean: [], minimum: [], maximum: [], isExact };
}

function add(columns: Columns, ms: number, mean: number, minimum: number, maximum: number): void {
  columns.timesMs.push(ms);
  columns.mean.push(mean);
  columns.minimum.push(minimum);
  columns.maximum.push(maximum);
}

function addGap(columns: Columns, ms: number): void {
  columns.timesMs.push(ms);
  columns.mean.push(null);
  columns.minimum.push(null);
  columns.maximum.push(null);
}
