import { roundTicks, timeTicks } from "../pictures/ticks.js";
import type { Interval } from "../squad/index.js";
import type { SpeedColumns } from "./speed-strip.js";

const SIZE = { width: 720, height: 170, left: 30, bottom: 18 };

/** The content of a plot in addition to the speeds. */
export interface SpeedPlotFrame {
  span: Interval;
  /** Shaded intervals. */
  periods: readonly Interval[];
  /** Threshold of sprints, km/h, which is a dashed line; null for no line. */
  sprintKmPerH: number | null;
  /** Maximum of the axis, km/h, which is the same for all players. */
  highestKmPerH: number;
  /** UTC offset of local time. */
  offsetMs: number;
  label: string;
}

/** Draws the mean speed over time as a line, and the highest speed of each column as an area. */
export function speedPlot({ meanKmPerH, highestKmPerH }: SpeedColumns, frame: SpeedPlotFrame): string {
  const { span, periods, sprintKmPerH, offsetMs, label } = frame;
  const { width, height, left, bottom } = SIZE;
  const plotHeight = height - bottom;
  const ticks = roundTicks(0, frame.highestKmPerH, 4);
  const top = ticks.at(-1) ?? 1;
  const columns = meanKmPerH.length;
  const x = (column: number) => tenth(left + (column / columns) * (width - left));
  const xOf = (ms: number) => x(((ms - span.startMs) / (span.endMs - span.startMs)) * columns);
  const y = (kmPerH: number) => tenth(plotHeight - (kmPerH / top) * (plotHeight - 6));
  const shades = periods.map(({ startMs, endMs }) => {
    const [from, to] = [xOf(Math.max(startMs, span.startMs)), xOf(Math.min(endMs, span.endMs))];
    return `<rect x="${from}" y="0" width="${tenth(Math.max(0, to - from))}" height="${plotHeight}" class="shade"/>`;
  });
  const grid = ticks.map(
    (tick) =>
      `<path class="grid" d="M${left} ${y(tick)}H${width}"/><text x="${left - 5}" y="${y(tick) + 3}" text-anchor="end">${tick}</text>`,
  );
  const times = timeTicks(span.startMs, span.endMs, 8, offsetMs).map(
    ({ ms, label: time }) => `<text x="${xOf(ms)}" y="${height - 4}" text-anchor="middle">${time}</text>`,
  );
  const runs = runsOf(meanKmPerH);
  const line = runs.map(([from, to]) => pathOf(from, to, x, (i) => y(meanKmPerH[i] ?? 0)));
  const area = runs.map(
    ([from, to]) =>
      `${pathOf(from, to, x, (i) => y(highestKmPerH[i] ?? 0))}L${x(to - 1)} ${plotHeight}L${x(from)} ${plotHeight}z`,
  );
  return [
    `<svg class="plot" role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}">`,
    ...shades,
    ...grid,
    ...times,
    `<path class="area" d="${area.join("")}"/><path class="line" d="${line.join("")}"/>`,
    sprintKmPerH === null ? "" : `<path class="sprint" d="M${left} ${y(sprintKmPerH)}H${width}"/>`,
    "</svg>",
  ].join("");
}

const tenth = (value: number) => Math.round(value * 10) / 10;

/** Returns the runs of columns with data. Each has the index of its first column, and of the one after its last. */
function runsOf(values: Float64Array): [number, number][] {
  const runs: [number, number][] = [];
  let start = -1;
  for (let i = 0; i <= values.length; i++) {
    const hasData = i < values.length && !Number.isNaN(values[i]);
    if (hasData && start < 0) start = i;
    if (!hasData && start >= 0) {
      runs.push([start, i]);
      start = -1;
    }
  }
  return runs;
}

function pathOf(from: number, to: number, x: (i: number) => number, y: (i: number) => number): string {
  let path = `M${x(from)} ${y(from)}`;
  for (let i = from + 1; i < to; i++) path += `L${x(i)} ${y(i)}`;
  return path;
}
