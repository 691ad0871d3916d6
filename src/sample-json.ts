import { requireObject, requireTexts, shown } from "./arguments.js";
import { checkEngine } from "./decode-options.js";
import { bestEngine, doesNotRun } from "./engines.js";
import { AsiError } from "./errors.js";
import { sampleJson } from "./reference/sample-json.js";
import { checkBatch } from "./sample-batch.js";
import type { EngineName, SampleBatch } from "./types.js";
import { type CoreExports, type CoreName, instantiateCore } from "./wasm/core.js";

export interface SampleJsonOptions {
  /** Text in front of the array: the beginning of an object that holds it, which then needs no second copy. */
  before?: string | undefined;
  /** Text behind the array. */
  after?: string | undefined;
  /** Which writer does the work; default the fastest that this machine runs. All give the same bytes. */
  engine?: EngineName | undefined;
}

/**
 * Samples as a JSON array, UTF-8:
 * `[{"gnss.altitude":408.123,"gnss.latitude":47.3700001,"gnss.longitude":8.5500000,"gnss.speed":3.050,"gnss.timestamp":1000000000050,"ecg.hr":142}]`,
 * in m, degrees, degrees, m/s, ms since 1970 UTC, beats per minute; `null` where there is no altitude or no heart rate. Every
 * number has all its decimals, so each is exactly the integer of its column, divided.
 *
 * @param samples times are integers, from the year 0 to 9999
 * @throws AsiError `BAD_ARGUMENT` for samples that are none, columns shorter than `length`, times that are no such integers;
 * `BAD_OPTION`, also for an engine that does not run here
 */
export function samplesToJson(samples: SampleBatch, options: SampleJsonOptions = {}): Uint8Array {
  requireObject("options", options);
  requireTexts(options, ["before", "after"]);
  const { before = "", after = "", engine } = options;
  checkEngine(engine);
  checkBatch(samples);
  checkTimes(samples);
  const writer = writerOf(engine);
  if (writer === null) return utf8.encode(`${before}${referenceJson(samples)}${after}`);
  return writer.write(samples, utf8.encode(`${before}[`), utf8.encode(`]${after}`));
}

// the years 0 to 9999
const EARLIEST_MS = -62_167_219_200_000;
const LATEST_MS = 253_402_300_799_999;

function checkTimes({ timestampMs, length }: SampleBatch): void {
  for (let i = 0; i < length; i++) {
    const ms = timestampMs[i];
    if (ms !== undefined && ms >= EARLIEST_MS && ms <= LATEST_MS && Number.isInteger(ms)) continue;
    throw new AsiError(
      "BAD_ARGUMENT",
      `timestampMs[${i}] is ${shown(ms)}; it must be whole ms since 1970, in the years 0 to 9999.`,
    );
  }
}

const utf8 = new TextEncoder();

function referenceJson(samples: SampleBatch): string {
  return `[${Array.from({ length: samples.length }, (_, i) => sampleJson(samples, i)).join()}]`;
}

/** Writes with an instance of the core of its own: those of decoders are in the middle of recordings. */
class JsonWriter {
  readonly #core: CoreExports;
  readonly #bytes: Uint8Array;
  readonly #output: number;
  /** Rows of one call. */
  readonly #capacity: number;
  readonly #maxRowBytes: number;
  readonly #columns: SampleBatch;

  constructor(name: CoreName) {
    const core = instantiateCore(name);
    const { buffer } = core.memory;
    const length = core.jsonRows();
    this.#core = core;
    this.#bytes = new Uint8Array(buffer);
    this.#output = core.output();
    this.#capacity = length;
    this.#maxRowBytes = core.maxJsonRowBytes();
    this.#columns = {
      length,
      timestampMs: new Float64Array(buffer, core.columnTimestamp(), length),
      latitudeE7: new Int32Array(buffer, core.columnLatitude(), length),
      longitudeE7: new Int32Array(buffer, core.columnLongitude(), length),
      altitudeMm: new Int32Array(buffer, core.columnAltitude(), length),
      speedMmPerS: new Int32Array(buffer, core.columnSpeed(), length),
      hr: new Uint8Array(buffer, core.columnHr(), length),
      fixType: new Uint8Array(buffer, core.columnFixType(), length),
    };
  }

  write(samples: SampleBatch, before: Uint8Array, after: Uint8Array): Uint8Array {
    const json = new Uint8Array(before.length + samples.length * this.#maxRowBytes + after.length);
    json.set(before);
    let at = before.length;
    for (let from = 0; from < samples.length; from += this.#capacity) {
      const to = Math.min(samples.length, from + this.#capacity);
      this.#fill(samples, from, to);
      const rows = this.#bytes.subarray(this.#output, this.#core.writeJson(to - from));
      json.set(rows, at);
      at += rows.length;
    }
    // What stands behind the array takes the place of the last row's comma.
    if (samples.length > 0) at--;
    json.set(after, at);
    return json.subarray(0, at + after.length);
  }

  #fill(samples: SampleBatch, from: number, to: number): void {
    const columns = this.#columns;
    columns.timestampMs.set(samples.timestampMs.subarray(from, to));
    columns.latitudeE7.set(samples.latitudeE7.subarray(from, to));
    columns.longitudeE7.set(samples.longitudeE7.subarray(from, to));
    columns.altitudeMm.set(samples.altitudeMm.subarray(from, to));
    columns.speedMmPerS.set(samples.speedMmPerS.subarray(from, to));
    columns.hr.set(samples.hr.subarray(from, to));
    columns.fixType.set(samples.fixType.subarray(from, to));
  }
}

const writers = new Map<CoreName, JsonWriter>();

// Whether WebAssembly may be compiled here: a content security policy can forbid it.
let isForbidden = false;

/** Null: plain TypeScript does the work, as the caller wants it or because nothing else runs here. */
function writerOf(name: EngineName | undefined): JsonWriter | null {
  const wanted = name ?? (isForbidden ? "reference" : bestEngine());
  if (wanted === "reference") return null;
  try {
    const writer = writers.get(wanted) ?? new JsonWriter(wanted);
    writers.set(wanted, writer);
    return writer;
  } catch (cause) {
    if (name !== undefined) throw doesNotRun(name, cause);
    isForbidden = true;
    return null;
  }
}
