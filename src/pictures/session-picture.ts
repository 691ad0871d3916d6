import { KM_PER_H } from "../metrics/rounding.js";
import { figurePanel } from "./figure-panel.js";
import { decimalText, tooFastText } from "./figure-text.js";
import { HEART_RATE_LINE, INK, MUTED, SPEED_LINE, WARNING } from "./palette.js";
import { heartRateSeries, type Session, speedSeries } from "./session.js";
import { type Limit, sessionPlot } from "./session-plot.js";
import type { Picture, Shape } from "./shapes.js";
import { roundTicks } from "./ticks.js";
import { type Rect, trackMap } from "./track-map.js";

const WIDTH = 1200;
const MARGIN = 32;
const TOP = 96;
const UPPER_HEIGHT = 440;
const MAP: Rect = { x: MARGIN, y: TOP, width: 600, height: UPPER_HEIGHT };
const FIGURES: Rect = { x: 660, y: TOP, width: WIDTH - MARGIN - 660, height: UPPER_HEIGHT };
const SPEED_HEIGHT = 150;
const HEART_RATE_HEIGHT = 120;
const PLOT_LEFT = 72;
const PLOT_SPACE = 54;

/** Draws a session: the track coloured by speed zone, the figures, and speed and heart rate over time. */
export function sessionPicture(session: Session): Picture {
  const { name, info, metrics } = session;
  let y = TOP + UPPER_HEIGHT + PLOT_SPACE;
  const speed = { title: "Speed, km/h", series: speedSeries(session), color: SPEED_LINE };
  const plots = sessionPlot(session, { ...speed, ticks: speedTicks(session) }, plotArea(y, SPEED_HEIGHT));
  y += SPEED_HEIGHT + PLOT_SPACE;
  if (metrics.hr_min !== null && metrics.hr_max !== null) {
    const heartRate = {
      title: `Heart rate, bpm${metrics.athlete_max_hr === null ? "" : `, with zones for a maximum of ${metrics.athlete_max_hr} bpm`}`,
      series: heartRateSeries(session),
      color: HEART_RATE_LINE,
      ticks: roundTicks(metrics.hr_min, metrics.hr_max, 4),
      limits: zoneLimits(session),
    };
    plots.push(...sessionPlot(session, heartRate, plotArea(y, HEART_RATE_HEIGHT)));
    y += HEART_RATE_HEIGHT + PLOT_SPACE;
  }
  const notes = [...heartRateZones(session), ...warnings(session)];
  const notesTop = y - PLOT_SPACE / 2 + NOTE_HEIGHT;
  const height = y + notes.length * NOTE_HEIGHT;
  return {
    width: WIDTH,
    height,
    title: `${name}, ${info.serial}: track, figures, speed and heart rate`,
    shapes: [
      { kind: "box", x: 0, y: 0, width: WIDTH, height, fill: "#ffffff" },
      ...heading(session),
      ...trackMap(session, MAP),
      ...figurePanel(session, FIGURES),
      ...plots,
      ...notes.map(({ text, color }, i): Shape => {
        const place = { x: MARGIN, y: notesTop + i * NOTE_HEIGHT };
        return { kind: "text", ...place, text, size: 14, color, isBold: color === WARNING };
      }),
    ],
  };
}

const plotArea = (y: number, height: number): Rect => ({
  x: PLOT_LEFT,
  y,
  width: WIDTH - MARGIN - PLOT_LEFT,
  height,
});

const NOTE_HEIGHT = 22;

/** A line of text below the plots. */
interface Note {
  text: string;
  color: string;
}

function heartRateZones({ metrics: { athlete_max_hr, timePerHrZone } }: Session): Note[] {
  if (timePerHrZone.length === 0) return [];
  const zones = timePerHrZone.map(
    ({ range_percent_hrmax: [low, high], percentage_hrmax }) =>
      `${low}–${high} %: ${decimalText(percentage_hrmax, 1)} %`,
  );
  return [
    {
      text: `Heart-rate zones for a maximum of ${athlete_max_hr} bpm: ${zones.join(",  ")} of the time`,
      color: INK,
    },
  ];
}

function warnings({ metrics, damage, offsetMs, notDrawn }: Session): Note[] {
  const after = damage?.afterMs ?? null;
  const place =
    after === null ? "" : `, first after ${new Date(after + offsetMs).toISOString().slice(11, 19)}`;
  const tooFast = tooFastText(metrics);
  const texts = [
    ...(damage === null ? [] : [`Damaged recording: ${damage.text}${place}.`]),
    ...(tooFast === null ? [] : [`Not in the figures: ${tooFast}`]),
    ...(notDrawn === null ? [] : [`Not drawn: ${notDrawn}`]),
  ];
  return texts.map((text) => ({ text, color: WARNING }));
}

function heading({ name, info, metrics, offsetMs, fromMs, toMs }: Session): Shape[] {
  const clock = (ms: number) => new Date(ms + offsetMs).toISOString();
  const device = [info.serial, info.deviceName, info.deviceType].filter((text) => text !== "").join(" · ");
  const zone = offsetMs === 0 ? "UTC" : `UTC${offsetText(offsetMs)}`;
  const when =
    metrics.first_timestamp === null
      ? ""
      : `${clock(fromMs).slice(0, 10)}, ${clock(fromMs).slice(11, 19)} to ${clock(toMs).slice(11, 19)} ${zone}`;
  return [
    { kind: "text", x: MARGIN, y: 50, text: shortened(name, 60), size: 26, color: INK, isBold: true },
    { kind: "text", x: MARGIN, y: 76, text: `${when}  ·  ${device}`, size: 15, color: MUTED },
  ];
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function speedTicks({ metrics }: Session): number[] {
  return roundTicks(0, Math.max(1, (metrics.max_speed ?? 0) * KM_PER_H), 4);
}

/** Returns the lower limits of the heart-rate zones, with their share of the maximum heart rate. */
function zoneLimits({ metrics: { timePerHrZone } }: Session): Limit[] {
  return timePerHrZone.map(({ range_bpm: [value], range_percent_hrmax: [percent] }) => ({
    value,
    label: `${percent} %`,
  }));
}
