import type { PlotContent } from "../plots/plot.js";
import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import type { ChannelName, DistanceCurve, Recording } from "./recording.js";

/** A recording on the axis of the page. */
export interface Placed {
  recording: Recording;
  /** The number of the recording, counted from 0. It selects the colour. */
  number: number;
  /** Its part of the axis. */
  whole: TimeWindow;
  /** Returns the position of an instant on the axis. */
  positionOf(ms: number): number;
  /** Returns the instant at a position, or null if the recording has none. */
  instantAt(position: number): number | null;
  /** Returns the part of the recording for a part of the axis. */
  partIn(shown: TimeWindow): TimeWindow;
  /** Returns the plot data of a channel, or null if the recording has no values of the channel. */
  contentOf(name: ChannelName): PlotContent | null;
}

/** @param offsetMs position on the axis minus time of the recording */
export function placeInTime(recording: Recording, number: number, offsetMs: number): Placed {
  const { startMs, stopMs, channels } = recording;
  return {
    recording,
    number,
    whole: { startMs: startMs + offsetMs, stopMs: stopMs + offsetMs },
    positionOf: (ms) => ms + offsetMs,
    instantAt: (position) => position - offsetMs,
    partIn: (shown) => ({ startMs: shown.startMs - offsetMs, stopMs: shown.stopMs - offsetMs }),
    contentOf(name) {
      const pyramid = channels[name];
      return pyramid === undefined ? null : { pyramid, offsetMs };
    },
  };
}

/** Places a recording on an axis by the distance covered since its first row. */
export function placeByDistance(recording: Recording, number: number, curve: DistanceCurve): Placed {
  const { timesMs, distanceMm } = curve;
  const last = distanceMm.length - 1;
  const totalMm = distanceMm[last] ?? 0;
  const positionOf = (ms: number) => between(timesMs, distanceMm, indexAt(timesMs, ms), ms);
  const first = (mm: number) => between(distanceMm, timesMs, indexAt(distanceMm, mm), mm);
  const contents = new Map<ChannelName, PlotContent>();
  return {
    recording,
    number,
    whole: { startMs: 0, stopMs: totalMm },
    positionOf,
    instantAt: (mm) => (mm < 0 || mm > totalMm || last < 0 ? null : first(mm)),
    partIn({ startMs: fromMm, stopMs: toMm }) {
      if (fromMm > totalMm) return { startMs: recording.stopMs + 1, stopMs: recording.stopMs + 1 };
      // The distance is constant while an athlete stands. The part includes this time at both ends.
      const startMs = fromMm <= 0 ? recording.startMs : first(fromMm);
      const stopMs =
        toMm >= totalMm ? recording.stopMs : between(distanceMm, timesMs, indexAfter(distanceMm, toMm), toMm);
      return { startMs, stopMs };
    },
    contentOf(name) {
      const pyramid = recording.channels[name];
      if (pyramid === undefined) return null;
      const known = contents.get(name);
      if (known !== undefined) return known;
      const positions = pyramid.series.timesMs.map(positionOf);
      // the summaries depend on the values, not on their positions
      const series = { ...pyramid.series, timesMs: positions };
      const content = { pyramid: { ...pyramid, series }, offsetMs: 0 };
      contents.set(name, content);
      return content;
    },
  };
}

function indexAfter(values: Float64Array, value: number): number {
  const at = indexAt(values, value);
  let after = at;
  while (after < values.length && values[after] === value) after += 1;
  return Math.max(at, after - 1);
}

/** Returns `y` at an `x` before entry `at`, by linear interpolation. */
function between(xs: Float64Array, ys: Float64Array, at: number, x: number): number {
  if (at <= 0) return ys[0] ?? 0;
  if (at >= xs.length) return ys[xs.length - 1] ?? 0;
  const x0 = xs[at - 1] as number;
  const x1 = xs[at] as number;
  const y0 = ys[at - 1] as number;
  const y1 = ys[at] as number;
  return x1 <= x0 ? y1 : y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}
