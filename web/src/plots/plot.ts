import uPlot from "uplot";
import type { TimeWindow } from "../view/window.js";
import { columnsIn } from "./columns.js";
import type { Pyramid } from "./pyramid.js";

/** Space for the labels at the left of every plot, and at its right, CSS pixels. */
export const AXIS_WIDTH = 46;
export const RIGHT_MARGIN = 24;
const TIME_AXIS_HEIGHT = 26;
const TOP_MARGIN = 8;
// With fewer values than this on the screen each of them is a dot.
const FEW_VALUES = 80;

/** How a plot looks; colours are asked for at every drawing, because the theme may have changed. */
export interface PlotLook {
  /** What values are multiplied by to be in the unit of the axis. */
  factor(): number;
  /** Lowest and highest value of the axis, in its unit. */
  range(): [number, number];
  line(): string;
  band(): string;
  grid(): string;
  text(): string;
  hasTimeAxis: boolean;
  ticks(shown: TimeWindow, width: number): { at: number[]; labels: string[] };
}

export interface PlotContent {
  pyramid: Pyramid;
  /** Time of the page minus time of the recording, ms. */
  offsetMs: number;
}

/** One plot of one quantity over time. */
export class Plot {
  readonly #plot: uPlot;
  readonly #look: PlotLook;
  #content: PlotContent;
  #shown: TimeWindow = { startMs: 0, stopMs: 1 };

  constructor(element: HTMLElement, look: PlotLook, content: PlotContent) {
    this.#look = look;
    this.#content = content;
    this.#plot = new uPlot(this.#options(), [[], [], [], []], element);
  }

  set content(content: PlotContent) {
    this.#content = content;
  }

  show(shown: TimeWindow, width: number, height: number): void {
    const pixels = Math.max(1, Math.floor(width - AXIS_WIDTH - RIGHT_MARGIN));
    const { pyramid, offsetMs } = this.#content;
    const own = { startMs: shown.startMs - offsetMs, stopMs: shown.stopMs - offsetMs };
    const { timesMs, mean, minimum, maximum, isExact } = columnsIn(pyramid, own, pixels);
    const factor = this.#look.factor();
    const scaled = (values: (number | null)[]) =>
      values.map((value) => (value === null ? null : value * factor));
    const nothing = isExact ? timesMs.map(() => null) : null;
    this.#shown = shown;
    if (this.#plot.width !== width || this.#plot.height !== height) this.#plot.setSize({ width, height });
    this.#plot.setData([
      timesMs.map((ms) => ms + offsetMs),
      scaled(mean),
      nothing ?? scaled(maximum),
      nothing ?? scaled(minimum),
    ]);
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #options(): uPlot.Options {
    const look = this.#look;
    const grid = { stroke: () => look.grid(), width: 1 };
    const ticks = { show: false };
    const font = "11px system-ui, sans-serif";
    return {
      width: 300,
      height: 100,
      padding: [TOP_MARGIN, RIGHT_MARGIN, look.hasTimeAxis ? 0 : TOP_MARGIN, 0],
      cursor: { show: false },
      legend: { show: false },
      pxAlign: 0,
      scales: {
        x: { time: false, auto: false, range: () => [this.#shown.startMs, this.#shown.stopMs] },
        y: { auto: false, range: () => look.range() },
      },
      axes: [
        {
          size: look.hasTimeAxis ? TIME_AXIS_HEIGHT : 0,
          stroke: () => look.text(),
          font,
          grid,
          ticks,
          splits: (plot) => look.ticks(this.#shown, plot.width).at,
          values: (plot) => (look.hasTimeAxis ? look.ticks(this.#shown, plot.width).labels : []),
        },
        { size: AXIS_WIDTH, stroke: () => look.text(), font, grid, ticks, space: 28, gap: 6 },
      ],
      series: [
        {},
        {
          stroke: () => look.line(),
          width: 1.5,
          points: { show: (_plot, _series, from, to) => to - from < FEW_VALUES, size: 4 },
        },
        { width: 0, points: { show: false } },
        { width: 0, points: { show: false } },
      ],
      bands: [{ series: [2, 3], fill: () => look.band() }],
    };
  }
}
