import { withoutFormula } from "asi-convert/csv";
import type { Zone } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { decimal, type SpeedUnit, speedFactor, withUnit } from "../../view/values.js";
import { instantText } from "../parts/when.js";
import type { Computed } from "./computed.js";
import { COMPARED_FIGURES, type ComparedFigure, isComparable, nameOfFigure } from "./computed-figures.js";

/** One line of the export: a time frame with its figures. The figures are null if the service could not compute them. */
export interface ComparedFrame {
  timeframe: number;
  name: string;
  athlete: string;
  device: string;
  /** ISO 8601 in UTC, as in the API. */
  startTime: string;
  endTime: string;
  computed: Computed | null;
}

/** The unit and the zone of the page. */
interface Shown {
  speedUnit: SpeedUnit;
  zone: Zone;
}

/**
 * Returns the table of figures as CSV (RFC 4180). It has the columns, names, units and zone of the page, and all digits. If all time frames
 * have the same speed classes, it also contains the time in each class.
 */
export function comparisonCsv(frames: readonly ComparedFrame[], { speedUnit, zone }: Shown): string {
  const computed = frames.flatMap(({ computed: one }) => one ?? []);
  const classes = isComparable(computed) ? (computed[0]?.time_per_speed_ranges ?? []) : [];
  const inUnit = (metresPerSecond: number) => decimal(metresPerSecond * speedFactor(speedUnit), 1);
  const times = zoneName(zone);
  const head = [
    "Number",
    "Time frame",
    "Athlete",
    "Device",
    `Start, ${times}`,
    `End, ${times}`,
    ...COMPARED_FIGURES.map((figure) =>
      withUnit(nameOfFigure(figure, computed, speedUnit), (figure.exported ?? figure).unit(speedUnit)),
    ),
    ...classes.map(
      ({ threshold_low: low, threshold_high: high }) =>
        `Time from ${inUnit(low)} to ${inUnit(high)} ${speedUnit}, s`,
    ),
    "Too fast for the sport, samples",
    "Too fast for the sport, s",
    `Computed, ${times}`,
  ];
  const shown = (figure: ComparedFigure, one: Computed) => {
    const value = figure.value(one);
    return value === null ? null : rounded(figure.exported?.value(value, speedUnit) ?? value);
  };
  const lines = frames.map(({ timeframe, name, athlete, device, startTime, endTime, computed: one }) => [
    timeframe,
    withoutFormula(name),
    withoutFormula(athlete),
    withoutFormula(device),
    instantText(Date.parse(startTime), zone),
    instantText(Date.parse(endTime), zone),
    ...COMPARED_FIGURES.map((figure) => (one === null ? null : shown(figure, one))),
    ...classes.map((_, i) => (one === null ? null : (one.time_per_speed_ranges[i]?.duration ?? null))),
    ...[one?.too_fast.samples ?? null, one?.too_fast.duration ?? null],
    one === null ? null : instantText(one.last_computation, zone),
  ]);
  return [head, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** Removes the spurious digits of sums of decimal fractions. */
const rounded = (value: number) => Number(value.toFixed(6));

function cell(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
