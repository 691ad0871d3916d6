import { isDate, optionNames, requireOptions, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { dayNumberOf } from "./calendar-day.js";
import { checkOverrides, metricParameters, type ParameterOverrides } from "./parameters.js";
import { type MetricParameters, PRESETS, type PresetName } from "./presets.js";

/** Half-open interval `[startMs, endMs)` in integer ms since 1970 UTC; `endMs` may be `Infinity`. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export interface MetricsOptions {
  /** The preset with the default parameters; default `soccer`. */
  readonly preset?: PresetName | undefined;
  /** Parameters that replace those of the preset. Speeds are in m/s. */
  readonly params?: ParameterOverrides | undefined;
  /** Use only samples at or after this time (integer ms since 1970 UTC, or a Date). Default: no limit. */
  readonly from?: number | Date | undefined;
  /** Use only samples at or before this time (integer ms since 1970 UTC, or a Date). Default: no limit. */
  readonly to?: number | Date | undefined;
  /** Use only samples within these periods, which can be in any order. Default: all samples. */
  readonly periods?: readonly Period[] | undefined;
  /** Birth date of the athlete, `YYYY-MM-DD`. It determines the maximum heart rate if `params.max_hr` is missing. */
  readonly birthDate?: string | null | undefined;
}

const OPTIONS = optionNames<MetricsOptions>({
  preset: true,
  params: true,
  from: true,
  to: true,
  periods: true,
  birthDate: true,
});

/** Options after validation. */
export interface CheckedOptions {
  readonly parameters: MetricParameters;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly periods: readonly Period[];
  readonly birthDate: string | null;
}

const ALWAYS: readonly Period[] = [{ startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }];

/** Validates options. Throws `BAD_OPTION`. */
export function checkOptions(options: MetricsOptions): CheckedOptions {
  requireOptions(options, OPTIONS);
  const { preset = "soccer", params = {}, periods = ALWAYS, birthDate = null } = options;
  if (!Object.hasOwn(PRESETS, preset)) {
    throw bad(`preset is ${shown(preset)}; it must be one of ${Object.keys(PRESETS).join(", ")}.`);
  }
  checkOverrides(preset, params);
  checkPeriods(periods);
  if (birthDate !== null && dayNumberOf(birthDate) === null) {
    throw bad(`birthDate is ${shown(birthDate)}; it must be a date such as "1996-06-02".`);
  }
  const fromMs = instantOf("from", options.from);
  const toMs = instantOf("to", options.to);
  if (fromMs !== null && toMs !== null && toMs < fromMs) throw bad("to is before from.");
  return { parameters: metricParameters(preset, params), fromMs, toMs, periods, birthDate };
}

function instantOf(name: string, value: unknown): number | null {
  if (value === undefined) return null;
  const ms = isDate(value) ? value.getTime() : value;
  if (typeof ms === "number" && Number.isSafeInteger(ms)) return ms;
  throw bad(`${name} is ${shown(value)}; it must be an integer of ms since 1970, or a Date.`);
}

function checkPeriods(periods: unknown): void {
  const isTime = (ms: unknown) => typeof ms === "number" && !Number.isNaN(ms);
  const isPeriod = (period: Period | null) => isTime(period?.startMs) && isTime(period?.endMs);
  if (Array.isArray(periods) && periods.every(isPeriod)) return;
  throw bad("periods must be an array of { startMs, endMs } in ms since 1970.");
}

function bad(message: string): AsiError {
  return new AsiError("BAD_OPTION", message);
}
