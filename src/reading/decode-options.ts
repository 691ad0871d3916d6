import { isDate, optionNames, requireBooleans, requireObject, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { checkGivenSerial } from "../recording/header.js";
import type { ColumnsOptions, DecodeOptions, EngineName, HrSource } from "../types.js";

/** Every option of `decode`. */
export const DECODE_OPTIONS = optionNames<DecodeOptions>({
  serial: true,
  strict: true,
  from: true,
  to: true,
  fillHrMs: true,
  everyMs: true,
  hr: true,
  signal: true,
  engine: true,
});

/** Every option of functions that return columns. */
export const COLUMNS_OPTIONS = [
  ...DECODE_OPTIONS,
  ...optionNames<Omit<ColumnsOptions, keyof DecodeOptions>>({ quality: true }),
];

const ENGINES: readonly unknown[] = ["simd", "scalar", "plain"] satisfies EngineName[];

const HR_SOURCES: readonly unknown[] = ["auto", "device", "ecg"] satisfies HrSource[];

/** Throws `BAD_OPTION` for invalid options. It is called once, before the first byte is read. */
export function checkDecodeOptions(options: DecodeOptions): void {
  requireObject("options", options);
  requireBooleans(options, ["strict"]);
  const { serial, from, to, fillHrMs, everyMs, hr, signal, engine } = options;
  if (serial !== undefined) checkGivenSerial(serial);
  checkInstant("from", from);
  checkInstant("to", to);
  if (from !== undefined && to !== undefined && Number(from) > Number(to)) {
    throw new AsiError(
      "BAD_OPTION",
      'The option "from" is later than "to"; give the earlier instant as "from".',
    );
  }
  checkFillHr(fillHrMs);
  checkHrSource(hr);
  checkEvery(everyMs);
  checkSignal(signal);
  checkEngine(engine);
}

/** Throws `BAD_OPTION` for an unknown source of heart rates. */
export function checkHrSource(hr: HrSource | undefined): void {
  if (hr === undefined || HR_SOURCES.includes(hr)) return;
  throw new AsiError("BAD_OPTION", `hr is ${shown(hr)}; it must be auto, device or ecg.`);
}

/** Throws `BAD_OPTION` for an unknown engine. */
export function checkEngine(engine: EngineName | undefined): void {
  if (engine === undefined || ENGINES.includes(engine)) return;
  throw new AsiError("BAD_OPTION", `The engine ${shown(engine)} is unknown; use simd, scalar or plain.`);
}

function checkInstant(name: "from" | "to", instant: number | Date | undefined): void {
  if (instant === undefined) return;
  // comparisons would convert null and strings to numbers
  if ((typeof instant === "number" || isDate(instant)) && !Number.isNaN(Number(instant))) return;
  throw new AsiError("BAD_OPTION", `${name} is not a valid time; give milliseconds since 1970 or a Date.`);
}

function checkFillHr(fillHrMs: number | undefined): void {
  if (fillHrMs === undefined || fillHrMs === Number.POSITIVE_INFINITY) return;
  if (Number.isSafeInteger(fillHrMs) && fillHrMs >= 0) return;
  throw new AsiError(
    "BAD_OPTION",
    `fillHrMs is ${shown(fillHrMs)}; it must be a whole number of milliseconds, 0 or more, or Infinity.`,
  );
}

function checkEvery(everyMs: number | undefined): void {
  if (everyMs === undefined || (Number.isSafeInteger(everyMs) && everyMs >= 1)) return;
  throw new AsiError(
    "BAD_OPTION",
    `everyMs is ${shown(everyMs)}; it must be a whole number of milliseconds, 1 or more.`,
  );
}

/** Throws `BAD_OPTION` for an invalid signal. */
export function checkSignal(signal: AbortSignal | undefined): void {
  // this checks the methods, because a signal from a different realm or from a library is not an instance of `AbortSignal`
  if (signal === undefined || signal === null) return;
  if (typeof signal.addEventListener === "function" && typeof signal.removeEventListener === "function") {
    return;
  }
  throw new AsiError("BAD_OPTION", "signal is not an AbortSignal; pass the signal of an AbortController.");
}
