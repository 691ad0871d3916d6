import type { PlotRow } from "../plots/plot-panel.js";
import { extentOf, type Pyramid } from "../plots/pyramid.js";
import { type Axis, axisText } from "../view/axis.js";
import { nearestIndex } from "../view/instants.js";
import type { Settings } from "../view/settings.js";
import { decimal, KM_PER_H, NO_VALUE, type SpeedUnit, speedFactor } from "../view/values.js";
import type { Placed } from "./placed.js";
import type { ChannelName, Recording } from "./recording.js";
import { titlesOf } from "./timeline.js";

export interface Channel {
  name: ChannelName;
  label: string;
  colour: string;
  decimals: number;
  unit(speedUnit: SpeedUnit): string;
  /** Returns the factor from the stored values to the unit. */
  factor(speedUnit: SpeedUnit): number;
  /** Whether the axis begins at 0. */
  fromZero: boolean;
  /** Minimum length of the axis, in the unit. */
  leastSpan: number;
  height: number;
}

/** The quantities in the order of the plots. */
export const CHANNELS: readonly Channel[] = [
  {
    name: "speed",
    label: "Speed",
    colour: "--speed",
    decimals: 1,
    unit: (speedUnit) => speedUnit,
    factor: (speedUnit) => speedFactor(speedUnit) / 1000,
    fromZero: true,
    leastSpan: 1,
    height: 170,
  },
  {
    name: "heartRate",
    label: "Heart rate",
    colour: "--heart-rate",
    decimals: 0,
    unit: () => "bpm",
    factor: () => 1,
    fromZero: false,
    leastSpan: 20,
    height: 130,
  },
  {
    name: "altitude",
    label: "Altitude",
    colour: "--altitude",
    decimals: 1,
    unit: () => "m",
    factor: () => 1 / 1000,
    fromZero: false,
    leastSpan: 2,
    height: 110,
  },
];

/** Returns the plots of a recording, one for each of its channels. */
export function channelRows(recording: Recording, speedUnit: SpeedUnit): PlotRow[] {
  const rows: PlotRow[] = [];
  for (const channel of CHANNELS) {
    const pyramid = recording.channels[channel.name];
    if (pyramid === undefined) continue;
    const factor = channel.factor(speedUnit);
    rows.push({
      key: channel.name,
      label: channel.label,
      unit: channel.unit(speedUnit),
      line: `var(${channel.colour})`,
      band: `var(${channel.colour}-band)`,
      content: { pyramid, offsetMs: 0 },
      factor,
      decimals: channel.decimals,
      range: axisRange([pyramid], channel, factor),
      height: channel.height,
    });
  }
  return rows;
}

/** Returns the lowest and highest value of an axis for all of these series. */
export function axisRange(
  pyramids: readonly Pyramid[],
  channel: Pick<Channel, "fromZero" | "leastSpan">,
  factor: number,
): [number, number] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const pyramid of pyramids) {
    const extent = extentOf(pyramid, 0, pyramid.series.values.length);
    lowest = Math.min(lowest, (extent?.minimum ?? 0) * factor);
    highest = Math.max(highest, (extent?.maximum ?? 0) * factor);
  }
  if (pyramids.length === 0) [lowest, highest] = [0, 0];
  if (channel.fromZero) lowest = Math.min(0, lowest);
  const margin = Math.max((highest - lowest) * 0.06, (channel.leastSpan - (highest - lowest)) / 2);
  return [channel.fromZero ? lowest : lowest - margin, highest + margin];
}

/** Total height of all plots, CSS pixels. The table, the map and the plots then fit on a screen of 1440 by 900 pixels. */
const COMPARED_HEIGHTS = 340;
const LEAST_HEIGHT = 70;

/** Returns the plots of one channel, one for each of several recordings. All plots have the same axis of values. */
export function comparedRows(
  placed: readonly Placed[],
  name: ChannelName,
  speedUnit: SpeedUnit,
  colours: readonly string[],
): PlotRow[] {
  const channel = channelNamed(name);
  const factor = channel.factor(speedUnit);
  const contents = placed.map((one) => one.contentOf(name));
  const range = axisRange(
    contents.flatMap((content) => content?.pyramid ?? []),
    channel,
    factor,
  );
  const height = Math.max(LEAST_HEIGHT, COMPARED_HEIGHTS / placed.length);
  const titles = titlesOf(placed.map(({ recording }) => recording));
  return placed.map(({ recording }, i): PlotRow => {
    const colour = colours[i] ?? "gray";
    return {
      key: String(recording.id),
      label: titles[i] ?? "",
      unit: channel.unit(speedUnit),
      line: colour,
      band: colour.replace(")", " / 30%)"),
      content: contents[i] ?? { pyramid: NO_VALUES, offsetMs: 0 },
      factor,
      decimals: channel.decimals,
      range,
      height,
    };
  });
}

const NO_VALUES: Pyramid = {
  series: { timesMs: new Float64Array(0), values: new Int32Array(0), gapsAfter: new Set() },
  levels: [],
};

function channelNamed(name: ChannelName): Channel {
  const channel = CHANNELS.find((one) => one.name === name);
  if (channel === undefined) throw new Error(`There is no channel ${name}.`);
  return channel;
}

/** A value under the cursor. */
export interface Readout {
  label: string;
  value: string;
  unit: string;
  /** The colour in CSS. */
  colour: string | null;
}

/** Returns the time and the values at an instant. */
export function readoutsAt(recording: Recording, ms: number | null, settings: Settings): Readout[] {
  const time = ms === null ? NO_VALUE : axisText("clock", ms, settings.zone.value, 1);
  const readouts: Readout[] = [{ label: "Time", value: time, unit: "", colour: null }];
  const speedUnit = settings.speedUnit.value;
  for (const channel of CHANNELS) {
    const series = recording.channels[channel.name]?.series;
    if (series === undefined) continue;
    const at = ms === null ? null : nearestIndex(series, ms);
    const { label } = channel;
    const colour = `var(${channel.colour})`;
    readouts.push(
      at === null
        ? { label, value: NO_VALUE, unit: "", colour }
        : {
            label,
            value: decimal((series.values[at] as number) * channel.factor(speedUnit), channel.decimals),
            unit: channel.unit(speedUnit),
            colour,
          },
    );
  }
  return readouts;
}

const SPEED_STEP_MM_PER_S = 2000 / KM_PER_H; // 2 km/h
const LEAST_FASTEST_MM_PER_S = 8000 / KM_PER_H;
const TOP_SHARE = 0.999;

/**
 * Returns the speed with the last colour of the map, mm/s. It is slightly below the maximum, because a single wrong value would make the
 * others pale.
 */
export function fastestOf({ track: { speed } }: Recording): number {
  const step = Math.ceil(speed.length / 50_000);
  const sample = Int32Array.from(
    { length: Math.ceil(speed.length / step) },
    (_, i) => speed[i * step] as number,
  ).sort();
  const top = sample[Math.floor((sample.length - 1) * TOP_SHARE)] ?? 0;
  return Math.max(LEAST_FASTEST_MM_PER_S, Math.ceil(top / SPEED_STEP_MM_PER_S) * SPEED_STEP_MM_PER_S);
}

/** Returns time or distance at a point, and the values of all recordings there. `ms` is a position on the axis. */
export function comparedReadouts(
  placed: readonly Placed[],
  name: ChannelName,
  ms: number | null,
  axis: Axis,
  settings: Settings,
  colours: readonly string[],
): Readout[] {
  const channel = channelNamed(name);
  const speedUnit = settings.speedUnit.value;
  const position = ms === null ? NO_VALUE : axisText(axis, ms, settings.zone.value, 1);
  const titles = titlesOf(placed.map(({ recording }) => recording));
  const values = placed.map(({ recording, instantAt }, i): Readout => {
    const series = recording.channels[name]?.series;
    const instant = ms === null ? null : instantAt(ms);
    const at = instant === null || series === undefined ? null : nearestIndex(series, instant);
    const value = at === null ? null : (series?.values[at] ?? null);
    return {
      label: titles[i] ?? "",
      value: value === null ? NO_VALUE : decimal(value * channel.factor(speedUnit), channel.decimals),
      unit: value === null ? "" : channel.unit(speedUnit),
      colour: colours[i] ?? null,
    };
  });
  const label = { clock: "Time", start: "From start", distance: "Distance" }[axis];
  return [{ label, value: position, unit: "", colour: null }, ...values];
}
