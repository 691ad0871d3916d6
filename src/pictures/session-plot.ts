import { FAINT, INK, LIMIT, MUTED, PANEL, WARNING } from "./palette.js";
import type { Series, Session } from "./session.js";
import type { Shape } from "./shapes.js";
import { thinnedLines } from "./thinned-lines.js";
import { timeTicks } from "./ticks.js";
import type { Rect } from "./track-map.js";

/** A horizontal line across a plot. */
export interface Limit {
  value: number;
  label: string;
}

/** A series of values over the duration of a session. */
interface Plot {
  title: string;
  series: Series;
  color: string;
  /** Values of the labelled lines, ascending. The first and the last are the limits of the plot. */
  ticks: readonly number[];
  limits?: readonly Limit[];
}

/**
 * Draws a series with its axes, the periods and the first damaged place.
 * @param area the area of the plot, without its labels
 */
export function sessionPlot(
  { damage, offsetMs, periods, fromMs, toMs }: Session,
  { title, series, color, ticks, limits = [] }: Plot,
  { x: left, y, width, height }: Rect,
): Shape[] {
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const yOf = (value: number) => y + ((high - Math.min(Math.max(value, low), high)) / (high - low)) * height;
  const lines = thinnedLines(series, { fromMs, toMs, columns: width }).map((line) =>
    line.map((point) => ({ x: left + point.x, y: yOf(point.y) })),
  );
  const right = left + width;
  const xOf = (ms: number | null) =>
    ms === null ? null : left + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * width;
  const clip = (ms: number) => Math.min(Math.max(xOf(ms) ?? left, left), right);
  const across = (value: number, color: string): Shape => {
    const level = yOf(value);
    return {
      kind: "lines",
      lines: [
        [
          { x: left, y: level },
          { x: right, y: level },
        ],
      ],
      color,
      width: 1,
    };
  };
  const shades = periods.map(({ name, startMs, endMs }) => ({
    name,
    from: clip(startMs),
    to: clip(endMs),
  }));
  return [
    ...shades.map(({ from, to }): Shape => {
      return { kind: "box", x: from, y, width: to - from, height, fill: PANEL };
    }),
    ...shades
      .filter(({ from, to }) => to > from)
      .map(({ name, from }): Shape => {
        return { kind: "text", x: from + 4, y: y + 12, text: name, size: 11, color: MUTED };
      }),
    { kind: "text", x: left, y: y - 12, text: title, size: 14, color: INK, isBold: true },
    ...limits
      .filter(({ value }) => value > low && value < high)
      .flatMap(({ value, label }): Shape[] => [
        across(value, LIMIT),
        { kind: "text", x: right + 3, y: yOf(value) + 4, text: label, size: 11, color: MUTED },
      ]),
    ...ticks.flatMap((tick): Shape[] => [
      across(tick, FAINT),
      {
        kind: "text",
        ...{
          x: left - 8,
          y: yOf(tick) + 4,
          text: String(tick),
          size: 12,
          color: MUTED,
          anchor: "end" as const,
        },
      },
    ]),
    ...timeTicks(fromMs, toMs, 10, offsetMs).map(({ ms, label }): Shape => {
      return {
        kind: "text",
        x: xOf(ms) ?? 0,
        y: y + height + 18,
        text: label,
        size: 12,
        color: MUTED,
        anchor: "middle",
      };
    }),
    { kind: "lines", lines, color, width: 1.2 },
    ...damageMark(xOf(damage?.afterMs ?? null), { x: left, y, width, height }),
  ];
}

/** Draws a line at a damaged place of the recording. Returns no shapes if `x` is null or outside the plot. */
function damageMark(x: number | null, plot: Rect): Shape[] {
  if (x === null || x < plot.x || x > plot.x + plot.width) return [];
  const line = [
    { x, y: plot.y },
    { x, y: plot.y + plot.height },
  ];
  return [{ kind: "lines", lines: [line], color: WARNING, width: 1.5 }];
}
