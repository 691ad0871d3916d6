import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { roundStep } from "../view/axis.js";
import { useSize } from "../view/element-size.js";
import type { Zone } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal } from "../view/values.js";
import type { TimeWindow } from "../view/window.js";

/** The highest distance in a window of a given length. */
export interface Peak {
  windowS: number;
  /** The speed in m/min. */
  perMinute: number;
  startMs: number;
}

interface Props {
  /** The points in ascending order of length. */
  peaks: readonly Peak[];
  /** Peaks with a dot. The pointer snaps to them. */
  marked: readonly Peak[];
  /** The part that plots and map show. */
  shown: ReadonlySignal<TimeWindow>;
  zone: Zone;
  onChoose: (peak: Peak) => void;
}

const HEIGHT = 320;
const LEFT = 40;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 24;
const TICKS_S = [1, 10, 60, 600];
const MOST_ROWS = 5;
const SNAP_PIXELS = 7;

/**
 * A curve of m/min by the length of the window, on a logarithmic axis. For screen readers, the table beside the curve has the same values.
 */
export function PeakCurve({ peaks, marked, shown, zone, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box).value;
  const pointed = useSignal<Peak | null>(null);
  const longest = Math.max(10, peaks.at(-1)?.windowS ?? 0);
  const highest = Math.max(1, ...peaks.map(({ perMinute }) => perMinute));
  const row = roundStep(highest / MOST_ROWS, 1);
  const top = row * Math.ceil(highest / row);

  const x = (windowS: number) => LEFT + (Math.log(windowS) / Math.log(longest)) * (width - LEFT - RIGHT);
  const y = (perMinute: number) => TOP + (1 - perMinute / top) * (HEIGHT - TOP - BOTTOM);
  const nearest = ({ clientX }: MouseEvent): Peak | null => {
    const at = clientX - (box.current?.getBoundingClientRect().left ?? 0);
    const byDistance = (from: readonly Peak[]) =>
      from
        .map((peak) => ({ peak, pixels: Math.abs(x(peak.windowS) - at) }))
        .reduce((best, one) => (one.pixels < best.pixels ? one : best), {
          peak: null as Peak | null,
          pixels: Number.POSITIVE_INFINITY,
        });
    const dot = byDistance(marked);
    return dot.pixels <= SNAP_PIXELS ? dot.peak : byDistance(peaks).peak;
  };

  const { startMs, stopMs } = shown.value;
  const chosen = peaks.find(
    (peak) => peak.startMs === startMs && peak.startMs + peak.windowS * 1000 === stopMs,
  );
  const told = pointed.value ?? chosen;
  return (
    <div class="peak-curve" ref={box}>
      <svg
        aria-hidden="true"
        height={HEIGHT}
        onPointerMove={(event) => {
          pointed.value = nearest(event);
        }}
        onPointerLeave={() => {
          pointed.value = null;
        }}
        onClick={(event) => {
          const peak = nearest(event);
          if (peak !== null) onChoose(peak);
        }}
      >
        {Array.from({ length: Math.round(top / row) + 1 }, (_, i) => i * row).map((value) => (
          <g key={value}>
            <path class="grid" d={`M${LEFT} ${y(value)}H${width - RIGHT}`} />
            <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
              {decimal(value, 0)}
            </text>
          </g>
        ))}
        {TICKS_S.filter((windowS) => windowS <= longest).map((windowS) => (
          <g key={windowS}>
            <path class="grid" d={`M${x(windowS)} ${TOP}V${HEIGHT - BOTTOM}`} />
            <text x={x(windowS)} y={HEIGHT - 6} text-anchor={windowS === longest ? "end" : "middle"}>
              {duration(windowS * 1000)}
            </text>
          </g>
        ))}
        <polyline points={peaks.map(({ windowS, perMinute }) => `${x(windowS)},${y(perMinute)}`).join(" ")} />
        {marked.map(({ windowS, perMinute }) => (
          <circle key={windowS} cx={x(windowS)} cy={y(perMinute)} r="3.5" />
        ))}
        {told === undefined ? null : (
          <circle class="told" cx={x(told.windowS)} cy={y(told.perMinute)} r="6" />
        )}
      </svg>
      <p class="note" aria-hidden="true">
        {told === undefined
          ? "m/min by the length of the window"
          : `${duration(told.windowS * 1000)} from ${timeOfDay(told.startMs, zone)}: ${decimal(told.perMinute, 1)} m/min`}
      </p>
    </div>
  );
}
