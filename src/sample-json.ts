import { requireObject } from "./arguments.js";
import { checkEngine } from "./decode-options.js";
import { bestEngine } from "./engines.js";
import { sampleJson } from "./reference/sample-json.js";
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
 * @throws AsiError `BAD_OPTION`
 */
export function samplesToJson(samples: SampleBatch, options: SampleJsonOptions = {}): Uint8Array {
  requireObject("options", options);
  const { before = "", after = "", engine = bestEngine() } = options;
  checkEngine(engine);
  if (engine === "reference") return utf8.encode(`${before}${referenceJson(samples)}${after}`);
  return writerOf(engine).write(samples, utf8.encode(`${before}[`), utf8.encode(`]${after}`));
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

function writerOf(name: CoreName): JsonWriter {
  let writer = writers.get(name);
  if (writer === undefined) {
    writer = new JsonWriter(name);
    writers.set(name, writer);
  }
  return writer;
}
