import { KM_PER_H } from "../metrics/rounding.js";
import { BrailleGrid } from "./braille.js";
import { heartRateSeries, type Series, type Session, speedSeries } from "./session.js";
import { thinnedLines } from "./thinned-lines.js";
import { roundTicks, timeTicks } from "./ticks.js";

/** A line of a plot. It consists of labels and the drawing, which may be coloured. */
export interface PlotLine {
  label: string;
  drawing: string;
  color: "blue" | "red" | null;
}

const SPEED_ROWS = 10;
const HEART_RATE_ROWS = 8;
const LABEL_WIDTH = 6;
const NARROWEST = 20;
/** Minimum number of characters between two labels of the time axis. */
const TIME_LABEL_SPACE = 12;

/** Plots speed and heart rate over time for a terminal of `width` characters, at least 26. */
export function terminalPlot(session: Session, width: number): PlotLine[] {
  const { metrics, offsetMs, fromMs, toMs } = session;
  const columns = Math.max(NARROWEST, width - LABEL_WIDTH - 1);
  const draw = (series: Series, rows: number, ticks: readonly number[], color: "blue" | "red") =>
    drawPlot(series, { fromMs, toMs, columns }, rows, ticks, color);
  const lines = [
    title("speed, km/h"),
    ...draw(
      speedSeries(session),
      SPEED_ROWS,
      roundTicks(0, Math.max(1, (metrics.max_speed ?? 0) * KM_PER_H), 4),
      "blue",
    ),
  ];
  if (metrics.hr_min !== null && metrics.hr_max !== null) {
    const ticks = roundTicks(metrics.hr_min, metrics.hr_max, 4);
    lines.push(title("heart rate, bpm"), ...draw(heartRateSeries(session), HEART_RATE_ROWS, ticks, "red"));
  }
  lines.push(...timeAxis(fromMs, toMs, columns, offsetMs));
  return lines;
}

function title(text: string): PlotLine {
  return { label: `${" ".repeat(LABEL_WIDTH + 1)}${text}`, drawing: "", color: null };
}

function drawPlot(
  series: Series,
  { fromMs, toMs, columns }: { fromMs: number; toMs: number; columns: number },
  rows: number,
  ticks: readonly number[],
  color: "blue" | "red",
): PlotLine[] {
  const intervals = ticks.length - 1;
  // makes the distance between labels a whole number of rows
  const grid = new BrailleGrid(columns, Math.max(2, Math.round(rows / intervals)) * intervals + 1);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const rowOf = (value: number) =>
    ((high - Math.min(Math.max(value, low), high)) / (high - low)) * (grid.height - 1);
  const span = { fromMs, toMs, columns: grid.width - 1 };
  for (const line of thinnedLines(series, span)) {
    line.forEach(({ x, y }, i) => {
      const previous = line[i - 1] ?? { x, y };
      grid.line(previous.x, rowOf(previous.y), x, rowOf(y));
    });
  }
  const labels = new Map(ticks.map((tick) => [Math.round(rowOf(tick)) >> 2, String(tick)]));
  return grid.toRows().map((drawing, row) => {
    const label = labels.get(row);
    return {
      label: `${(label ?? "").padStart(LABEL_WIDTH - 1)} ${label === undefined ? "│" : "┤"}`,
      drawing,
      color,
    };
  });
}

function timeAxis(fromMs: number, toMs: number, columns: number, offsetMs: number): PlotLine[] {
  const marks = Array.from({ length: columns }, () => "─");
  let labels = "";
  for (const { ms, label } of timeTicks(fromMs, toMs, Math.floor(columns / TIME_LABEL_SPACE), offsetMs)) {
    const column = Math.round(((ms - fromMs) / Math.max(1, toMs - fromMs)) * (columns - 1));
    marks[column] = "┬";
    const start = Math.max(0, Math.min(column - (label.length >> 1), columns - label.length));
    if (start > labels.length || labels === "") labels = labels.padEnd(start) + label;
  }
  const margin = " ".repeat(LABEL_WIDTH);
  return [
    { label: `${margin}└${marks.join("")}`, drawing: "", color: null },
    { label: `${margin} ${labels}`, drawing: "", color: null },
  ];
}
