import { optionNames, requireObject, requireOptions, requireTexts, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { checkEngine } from "../reading/decode-options.js";
import { type Field, type RowTemplate, rowTemplate, type TemplatePart } from "../rows/row-text/template.js";
import { checkBatch } from "../rows/sample-batch.js";
import type { EngineName, SampleBatch } from "../types.js";
import { requireWritableTimes, writeSamples } from "./samples-text.js";

/** A value of a sample. */
export type JsonValue =
  /** ms since 1970 UTC, an integer */
  | "timestamp"
  /** the same time as `"2025-05-17T14:30:00.050Z"` */
  | "time"
  /** degrees */
  | "latitude"
  | "longitude"
  /** m above mean sea level; null for a two-dimensional fix */
  | "altitude"
  /** m/s */
  | "speed"
  /** beats per minute; null for a sample without a heart rate */
  | "hr";

/** The keys of each object, in order, and their values. */
export type JsonKeys = Readonly<Record<string, JsonValue>>;

export interface SamplesToJsonOptions {
  /** The keys of each object. Default: the keys of a `Row`, `{ timestamp: "timestamp", latitude: "latitude", ... }`. */
  keys?: JsonKeys | undefined;
  /** Text before the array, such as the start of an enclosing object. With it, the result need not be copied. */
  before?: string | undefined;
  /** Text after the array. */
  after?: string | undefined;
  /** The engine to use; default the fastest one available. All engines write the same bytes. */
  engine?: EngineName | undefined;
}

const OPTIONS = optionNames<SamplesToJsonOptions>({ keys: true, before: true, after: true, engine: true });

/**
 * Converts samples, as returned by `decode`, to the text of a JSON array of objects:
 * `[{"timestamp":1000000000050,"latitude":47.3700001,"longitude":8.5500000,"altitude":408.123,"speed":3.050,"hr":142}]`.
 * Numbers are written with all their decimals, so each one is exactly the integer of its column, divided by the scale. No
 * object is created for a sample:
 * 25,000 samples take about a millisecond.
 *
 * @param samples times must be integers in the years 0 to 9999
 * @returns UTF-8
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, columns shorter than `length` and invalid times; `BAD_OPTION`, including for an
 * engine that is not available
 */
export function samplesToJson(samples: SampleBatch, options: SamplesToJsonOptions = {}): Uint8Array {
  requireOptions(options, OPTIONS);
  requireTexts(options, ["before", "after"]);
  const { keys = ROW_KEYS, before = "", after = "", engine } = options;
  checkEngine(engine);
  const template = templateOf(keys);
  checkBatch(samples);
  requireWritableTimes(samples);
  const around = { before: utf8.encode(`${before}[`), after: utf8.encode(`]${after}`) };
  // A comma precedes each object except the first.
  return writeSamples(samples, template, { ...around, leftOutOfFirst: 1 }, engine);
}

const ROW_KEYS: JsonKeys = Object.freeze({
  timestamp: "timestamp",
  latitude: "latitude",
  longitude: "longitude",
  altitude: "altitude",
  speed: "speed",
  hr: "hr",
});

const utf8 = new TextEncoder();

const FIELDS: Readonly<Record<JsonValue, Field>> = {
  timestamp: "milliseconds",
  time: "isoTime",
  latitude: "latitude",
  longitude: "longitude",
  altitude: "altitude",
  speed: "speed",
  hr: "hr",
};

// Most callers pass the same object of keys each time.
const templates = new WeakMap<JsonKeys, RowTemplate>();

function templateOf(keys: JsonKeys): RowTemplate {
  requireObject("keys", keys);
  const known = templates.get(keys);
  if (known !== undefined) return known;
  const parts = Object.entries(keys).flatMap(([key, value], i) => {
    if (!Object.hasOwn(FIELDS, value)) {
      const names = Object.keys(FIELDS).join(", ");
      throw new AsiError("BAD_OPTION", `keys.${key} is ${shown(value)}; it must be one of ${names}.`);
    }
    return [`${i === 0 ? "" : ","}${JSON.stringify(key)}:`, ...partsOf(value)];
  });
  try {
    const template = rowTemplate([",{", ...parts, "}"]);
    templates.set(keys, template);
    return template;
  } catch (cause) {
    throw new AsiError(
      "BAD_OPTION",
      "keys are too long; their total length must not exceed about 3,000 bytes.",
      {
        cause,
      },
    );
  }
}

function partsOf(value: JsonValue): TemplatePart[] {
  const field: TemplatePart = { field: FIELDS[value] };
  if (value === "time") return ['"', field, '"'];
  if (value === "altitude" || value === "hr") return [{ where: value, given: [field], missing: ["null"] }];
  return [field];
}
