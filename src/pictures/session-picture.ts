import { KM_PER_H } from "../metrics/rounding.js";
import { decimalText, percentText, tooFastText } from "./figure-text.js";
import {
  FAINT,
  HEART_RATE_LINE,
  INK,
  LIMIT,
  MUTED,
  PANEL,
  SPEED_LINE,
  WARNING,
  zoneColors,
} from "./palette.js";
import { heartRateSeries, type Series, type Session, speedSeries } from "./session.js";
import type { Picture, Shape } from "./shapes.js";
import { thinnedLines } from "./thinned-lines.js";
import { roundTicks, timeTicks } from "./ticks.js";
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

/** A picture of a session: the track coloured by speed zone, the figures, speed and heart rate over time. */
export function sessionPicture(session: Session): Picture {
  const { name, info, metrics } = session;
  const shapes: Shape[] = [];
  let y = TOP + UPPER_HEIGHT + PLOT_SPACE;
  shapes.push(
    ...plot(session, speedSeries(session), y, SPEED_HEIGHT, "Speed, km/h", SPEED_LINE, speedTicks(session)),
  );
  y += SPEED_HEIGHT + PLOT_SPACE;
  if (metrics.hr_min !== null && metrics.hr_max !== null) {
    const ticks = roundTicks(metrics.hr_min, metrics.hr_max, 4);
    const series = heartRateSeries(session);
    const title = `Heart rate, bpm${metrics.athlete_max_hr === null ? "" : ` and zones of ${metrics.athlete_max_hr} bpm`}`;
    const limits = zoneLimits(session);
    shapes.push(...plot(session, series, y, HEART_RATE_HEIGHT, title, HEART_RATE_LINE, ticks, limits));
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
      ...cards(session),
      ...zoneTable(session),
      ...effortLines(session),
      ...shapes,
      ...notes.map(({ text, color }, i): Shape => {
        const place = { x: MARGIN, y: notesTop + i * NOTE_HEIGHT };
        return { kind: "text", ...place, text, size: 14, color, isBold: color === WARNING };
      }),
    ],
  };
}

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
    { text: `Heart-rate zones of ${athlete_max_hr} bpm: ${zones.join(",  ")} of the time`, color: INK },
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

const CARD_HEIGHT = 70;
const CARD_GAP = 10;

function cards({ metrics }: Session): Shape[] {
  const recordedS = metrics.time_per_speed_ranges.reduce((sum, { duration }) => sum + duration, 0);
  const speed = (value: number | null) => (value === null ? "–" : decimalText(value * KM_PER_H, 1));
  const bpm = (value: number | null) => (value === null ? "–" : decimalText(value, 0));
  const distance = metrics.total_distance ?? 0;
  const isLong = distance >= 10_000;
  const figures: [string, string][] = [
    isLong ? ["Distance, km", decimalText(distance / 1000, 2)] : ["Distance, m", decimalText(distance, 0)],
    ["Recorded", clockText(recordedS)],
    ["Sprints", String(metrics.sprint.threshold_1.values.length)],
    ["Maximum speed, km/h", speed(metrics.max_speed)],
    ["Mean speed, km/h", speed(metrics.average_speed)],
    ["Heart rate, mean / max", `${bpm(metrics.hr_avg)} / ${bpm(metrics.hr_max)}`],
  ];
  const width = (FIGURES.width - 2 * CARD_GAP) / 3;
  return figures.flatMap(([label, value], i): Shape[] => {
    const x = FIGURES.x + (i % 3) * (width + CARD_GAP);
    const y = FIGURES.y + Math.floor(i / 3) * (CARD_HEIGHT + CARD_GAP);
    return [
      { kind: "box", x, y, width, height: CARD_HEIGHT, fill: PANEL, radius: 10 },
      { kind: "text", x: x + 12, y: y + 22, text: label, size: 12, color: MUTED },
      { kind: "text", x: x + 12, y: y + 54, text: value, size: 25, color: INK, isBold: true },
    ];
  });
}

const ROW_HEIGHT = 24;
const ZONES_TOP = FIGURES.y + 2 * CARD_HEIGHT + CARD_GAP + 26;

function zoneTable({ metrics }: Session): Shape[] {
  const zones = metrics.distance_per_speed_ranges;
  const colors = zoneColors(zones.length);
  const right = FIGURES.x + FIGURES.width;
  const column = {
    limits: FIGURES.x + 22,
    bar: FIGURES.x + 140,
    distance: right - 150,
    share: right - 76,
    time: right,
  };
  const largest = Math.max(...zones.map(({ ratio }) => ratio), 1e-9);
  const kmPerH = (limit: number) => String(Number((limit * KM_PER_H).toFixed(1)));
  const head = (x: number, text: string, anchor: "start" | "end"): Shape => ({
    kind: "text",
    ...{ x, y: ZONES_TOP, text, size: 12, color: MUTED, anchor },
  });
  const rowHeight = Math.min(ROW_HEIGHT, (FIGURES.y + FIGURES.height - ZONES_TOP - 100) / zones.length);
  return [
    head(FIGURES.x, "Speed zones, km/h", "start"),
    head(column.share, "distance", "end"),
    head(column.time, "time", "end"),
    ...zones.flatMap(({ distance, ratio, threshold_low, threshold_high }, i): Shape[] => {
      const y = ZONES_TOP + (i + 1) * rowHeight;
      const color = colors[i] ?? INK;
      const limits =
        i === zones.length - 1
          ? `from ${kmPerH(threshold_low)}`
          : `${kmPerH(threshold_low)} – ${kmPerH(threshold_high)}`;
      const cell = (x: number, text: string): Shape => ({
        kind: "text",
        ...{ x, y, text, size: 14, color: INK, anchor: "end" as const },
      });
      return [
        { kind: "box", x: FIGURES.x, y: y - 11, width: 12, height: 12, fill: color, radius: 3 },
        { kind: "text", x: column.limits, y, text: limits, size: 14, color: INK },
        {
          kind: "box",
          x: column.bar,
          y: y - 11,
          width: ratio === 0 ? 0 : Math.max(1, (130 * ratio) / largest),
          height: 12,
          fill: color,
        },
        cell(column.distance, `${decimalText(distance, 0)} m`),
        cell(column.share, percentText(ratio)),
        cell(column.time, clockText(metrics.time_per_speed_ranges[i]?.duration ?? 0)),
      ];
    }),
  ];
}

function effortLines({ metrics }: Session): Shape[] {
  const { accelerations, decelerations, hid, hid_distance } = metrics;
  const metres = (distance: number) => decimalText(distance, 0);
  const kmPerH = (limit: number) => Number((limit * KM_PER_H).toFixed(1));
  const efforts = (name: string, { threshold_1: low, threshold_2: high }: typeof accelerations) =>
    !metrics.has_accelerations
      ? `${name}: none, they need at least 5 samples a second`
      : `${name}: ${low.values.length} of ${low.threshold} to ${high.threshold} m/s², ${high.values.length} from ${high.threshold} m/s²`;
  const texts = [
    `High intensity: ${metres(hid_distance.threshold_1)} m from ${kmPerH(hid.threshold_1.threshold)} km/h, ${metres(hid_distance.threshold_2)} m from ${kmPerH(hid.threshold_2.threshold)} km/h`,
    efforts("Accelerations", accelerations),
    efforts("Decelerations", decelerations),
  ];
  const top = FIGURES.y + FIGURES.height - (texts.length - 1) * 22 - 6;
  return texts.map((text, i) => ({
    kind: "text",
    x: FIGURES.x,
    y: top + i * 22,
    text,
    size: 14,
    color: INK,
  }));
}

function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

function speedTicks({ metrics }: Session): number[] {
  return roundTicks(0, Math.max(1, (metrics.max_speed ?? 0) * KM_PER_H), 4);
}

/** Heart-rate zones as lines at their lower limits, with their share of the maximum heart rate. */
function zoneLimits({ metrics: { timePerHrZone } }: Session): Limit[] {
  return timePerHrZone.map(({ range_bpm: [value], range_percent_hrmax: [percent] }) => ({
    value,
    label: `${percent} %`,
  }));
}

/** A line across a plot. */
interface Limit {
  value: number;
  label: string;
}

function plot(
  { damage, offsetMs, periods, fromMs, toMs }: Session,
  series: Series,
  y: number,
  height: number,
  title: string,
  color: string,
  ticks: readonly number[],
  limits: readonly Limit[] = [],
): Shape[] {
  const width = WIDTH - MARGIN - PLOT_LEFT;
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const yOf = (value: number) => y + ((high - Math.min(Math.max(value, low), high)) / (high - low)) * height;
  const lines = thinnedLines(series, { fromMs, toMs, columns: width }).map((line) =>
    line.map((point) => ({ x: PLOT_LEFT + point.x, y: yOf(point.y) })),
  );
  const right = PLOT_LEFT + width;
  const xOf = (ms: number | null) =>
    ms === null ? null : PLOT_LEFT + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * width;
  const clip = (ms: number) => Math.min(Math.max(xOf(ms) ?? PLOT_LEFT, PLOT_LEFT), right);
  const across = (value: number, color: string): Shape => {
    const level = yOf(value);
    return {
      kind: "lines",
      lines: [
        [
          { x: PLOT_LEFT, y: level },
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
    { kind: "text", x: PLOT_LEFT, y: y - 12, text: title, size: 14, color: INK, isBold: true },
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
          x: PLOT_LEFT - 8,
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
    ...damageMark(xOf(damage?.afterMs ?? null), y, y + height),
  ];
}

/** A line at a damaged place of the recording. @param x null or outside of the plot: none */
function damageMark(x: number | null, top: number, bottom: number): Shape[] {
  if (x === null || x < PLOT_LEFT || x > WIDTH - MARGIN) return [];
  const line = [
    { x, y: top },
    { x, y: bottom },
  ];
  return [{ kind: "lines", lines: [line], color: WARNING, width: 1.5 }];
}
