import { recordedTimeMs } from "../metrics/recorded-time.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { decimalText, percentText } from "./figure-text.js";
import { INK, MUTED, PANEL, zoneColors } from "./palette.js";
import type { Session } from "./session.js";
import type { Shape } from "./shapes.js";
import type { Rect } from "./track-map.js";

/** Returns the figures of a session as cards, the speed zones as a table, and the efforts as lines of text. */
export const figurePanel = (session: Session, area: Rect): Shape[] => [
  ...cards(session, area),
  ...zoneTable(session, area),
  ...effortLines(session, area),
];

const CARD_HEIGHT = 70;
const CARD_GAP = 10;

function cards({ metrics }: Session, area: Rect): Shape[] {
  const speed = (value: number | null) => (value === null ? "–" : decimalText(value * KM_PER_H, 1));
  const bpm = (value: number | null) => (value === null ? "–" : decimalText(value, 0));
  const distance = metrics.total_distance ?? 0;
  const isLong = distance >= 10_000;
  const figures: [string, string][] = [
    isLong ? ["Distance, km", decimalText(distance / 1000, 2)] : ["Distance, m", decimalText(distance, 0)],
    ["Recorded", clockText(recordedTimeMs(metrics) / 1000)],
    ["Sprints", String(metrics.sprint.threshold_1.values.length)],
    ["Maximum speed, km/h", speed(metrics.max_speed)],
    ["Mean speed, km/h", speed(metrics.average_speed)],
    ["Heart rate, mean / max", `${bpm(metrics.hr_avg)} / ${bpm(metrics.hr_max)}`],
  ];
  const width = (area.width - 2 * CARD_GAP) / 3;
  return figures.flatMap(([label, value], i): Shape[] => {
    const x = area.x + (i % 3) * (width + CARD_GAP);
    const y = area.y + Math.floor(i / 3) * (CARD_HEIGHT + CARD_GAP);
    return [
      { kind: "box", x, y, width, height: CARD_HEIGHT, fill: PANEL, radius: 10 },
      { kind: "text", x: x + 12, y: y + 22, text: label, size: 12, color: MUTED },
      { kind: "text", x: x + 12, y: y + 54, text: value, size: 25, color: INK, isBold: true },
    ];
  });
}

const ROW_HEIGHT = 24;
/** Distance between the top of the panel and the zones. */
const ZONES_TOP = 2 * CARD_HEIGHT + CARD_GAP + 26;

function zoneTable({ metrics }: Session, area: Rect): Shape[] {
  const zones = metrics.distance_per_speed_ranges;
  const top = area.y + ZONES_TOP;
  const colors = zoneColors(zones.length);
  const right = area.x + area.width;
  const column = {
    limits: area.x + 22,
    bar: area.x + 140,
    distance: right - 150,
    share: right - 76,
    time: right,
  };
  const largest = Math.max(...zones.map(({ ratio }) => ratio), 1e-9);
  const kmPerH = (limit: number) => String(Number((limit * KM_PER_H).toFixed(1)));
  const head = (x: number, text: string, anchor: "start" | "end"): Shape => ({
    kind: "text",
    ...{ x, y: top, text, size: 12, color: MUTED, anchor },
  });
  const rowHeight = Math.min(ROW_HEIGHT, (area.y + area.height - top - 100) / zones.length);
  return [
    head(area.x, "Speed zones, km/h", "start"),
    head(column.share, "distance", "end"),
    head(column.time, "time", "end"),
    ...zones.flatMap(({ distance, ratio, threshold_low, threshold_high }, i): Shape[] => {
      const y = top + (i + 1) * rowHeight;
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
        { kind: "box", x: area.x, y: y - 11, width: 12, height: 12, fill: color, radius: 3 },
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

function effortLines({ metrics }: Session, area: Rect): Shape[] {
  const { accelerations, decelerations, hid, hid_distance } = metrics;
  const metres = (distance: number) => decimalText(distance, 0);
  const kmPerH = (limit: number) => Number((limit * KM_PER_H).toFixed(1));
  const efforts = (name: string, { threshold_1: low, threshold_2: high }: typeof accelerations) =>
    !metrics.has_accelerations
      ? `${name}: unknown below 5 samples a second`
      : `${name}: ${low.values.length} of ${low.threshold} to ${high.threshold} m/s², ${high.values.length} from ${high.threshold} m/s²`;
  const texts = [
    `High intensity: ${metres(hid_distance.threshold_1)} m from ${kmPerH(hid.threshold_1.threshold)} km/h, ${metres(hid_distance.threshold_2)} m from ${kmPerH(hid.threshold_2.threshold)} km/h`,
    efforts("Accelerations", accelerations),
    efforts("Decelerations", decelerations),
  ];
  const top = area.y + area.height - (texts.length - 1) * 22 - 6;
  return texts.map((text, i) => ({
    kind: "text",
    x: area.x,
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
