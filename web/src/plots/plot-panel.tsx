import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Settings } from "../view/settings.js";
import { tickLabel, ticks } from "../view/times.js";
import type { TimeWindow } from "../view/window.js";
import { Plot, type PlotContent } from "./plot.js";

/** One row of the stack of plots. */
export interface PlotRow {
  key: string;
  label: string;
  unit: string;
  /** CSS colours of the line of means, and of the band from minimum to maximum. */
  line: string;
  band: string;
  content: PlotContent;
  /** Converts a value as received to the unit of the axis. */
  factor: number;
  decimals: number;
  /** Lowest and highest value of the axis, in its unit. */
  range: [number, number];
  height: number;
}

interface Props {
  row: PlotRow;
  hasTimeAxis: boolean;
  width: ReadonlySignal<{ width: number }>;
  shown: ReadonlySignal<TimeWindow>;
  settings: Settings;
  /** Labels of the time axis, where it does not show times of day. */
  label?: ((ms: number, stepMs: number) => string) | undefined;
}

const PIXELS_PER_TICK = 82;

export function PlotPanel({ row, hasTimeAxis, width, shown, settings, label }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const latest = useRef({ row, label });
  latest.current = { row, label };

  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const style = getComputedStyle(element);
    // a canvas knows no custom properties
    const colour = (text: string) =>
      text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
    plot.current = new Plot(
      element,
      {
        factor: () => latest.current.row.factor,
        range: () => latest.current.row.range,
        line: () => colour(latest.current.row.line),
        band: () => colour(latest.current.row.band),
        grid: () => colour("var(--grid)"),
        text: () => colour("var(--muted)"),
        hasTimeAxis,
        ticks({ startMs, stopMs }, pixels) {
          const zone = settings.zone.peek();
          const { at, stepMs } = ticks(
            startMs,
            stopMs,
            pixels / PIXELS_PER_TICK,
            latest.current.label ? "utc" : zone,
          );
          const labelOf = latest.current.label ?? ((ms: number) => tickLabel(ms, stepMs, zone));
          return { at, labels: at.map((ms) => labelOf(ms, stepMs)) };
        },
      },
      latest.current.row.content,
    );
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [hasTimeAxis, settings]);

  const draw = () => {
    const part = shown.value;
    const pixels = width.value.width;
    settings.theme.value;
    settings.zone.value;
    if (plot.current === null || pixels === 0) return;
    plot.current.content = latest.current.row.content;
    plot.current.show(part, pixels, latest.current.row.height);
  };
  useSignalEffect(draw);
  // the row itself changes with units and with what is compared
  useEffect(draw, [row, label]);

  return <div class="plot" ref={ref} />;
}
