import type { Engine, EngineSettings, Produced, Product, RangeBreak, Signal, Span } from "../engine.js";
import type { Range, Report, SampleBatch } from "../types.js";
import {
  ACCOUNT_FIELDS,
  type Account,
  type CoreExports,
  type CoreName,
  CoreSignal,
  instantiateCore,
} from "./core.js";

// A step works on this much at most, so that input and output stay in the processor's cache.
const MOST_WRITTEN = 0x40000;

/** The WebAssembly core as an `Engine`. */
export class WasmEngine implements Engine {
  readonly name: CoreName;
  readonly #core: CoreExports;
  readonly #bytes: Uint8Array;
  readonly #inputEnd: number;
  readonly #output: number;
  #step: (final: boolean) => number;
  #closedRanges: Range[] = [];
  #endedSpans: Span[] = [];
  #rangeBreaks: RangeBreak[] = [];

  constructor(name: CoreName) {
    this.name = name;
    this.#core = instantiateCore(name);
    this.#bytes = new Uint8Array(this.#core.memory.buffer);
    this.#inputEnd = this.#core.inputEnd();
    this.#output = this.#core.output();
    this.#step = this.#core.stepAccount;
  }

  reset(settings: EngineSettings): void {
    this.#step = stepFunction(this.#core, settings.product);
    this.#closedRanges = [];
    this.#endedSpans = [];
    this.#rangeBreaks = [];
    this.#core.reset(
      settings.needsHeader,
      settings.strict,
      settings.fromMs,
      settings.toMs,
      settings.fillHrMs,
    );
  }

  write(chunk: Uint8Array, offset: number): number {
    const wanted = Math.min(chunk.length - offset, MOST_WRITTEN);
    const at = this.#core.reserve(wanted);
    const taken = Math.min(wanted, this.#inputEnd - at);
    this.#bytes.set(taken === chunk.length ? chunk : chunk.subarray(offset, offset + taken), at);
    this.#core.commit(taken);
    return taken;
  }

  step(final: boolean): Signal {
    const signal = this.#step(final);
    if (this.#core.closedRangeCount() > 0) this.#keepClosedRanges();
    this.#rangeBreaks = this.#core.rangeBreakCount() > 0 ? this.#readRangeBreaks() : [];
    if (signal === CoreSignal.drained) return DRAINED;
    const byteOffset = this.#core.signalOffset();
    switch (signal) {
      case CoreSignal.header: {
        const start = this.#core.signalPayload();
        return {
          kind: "header",
          byteOffset,
          payload: this.#bytes.subarray(start, start + this.#core.signalLength()),
        };
      }
      case CoreSignal.notRecording:
        return { kind: "notRecording", byteOffset };
      case CoreSignal.badChecksum:
        return { kind: "damaged", byteOffset, damage: "badChecksums" };
      case CoreSignal.overlong:
        return { kind: "damaged", byteOffset, damage: "overlong" };
      default:
        return { kind: "damaged", byteOffset, damage: "overruns" };
    }
  }

  csv(): Uint8Array {
    return this.#bytes.subarray(this.#output, this.#core.outputEnd());
  }

  frames(): Uint8Array {
    return this.csv();
  }

  columns(): SampleBatch {
    const { buffer } = this.#core.memory;
    const length = this.#core.columnLength();
    return {
      length,
      timestampMs: new Float64Array(buffer, this.#core.columnTimestamp(), length),
      latitudeE7: new Int32Array(buffer, this.#core.columnLatitude(), length),
      longitudeE7: new Int32Array(buffer, this.#core.columnLongitude(), length),
      altitudeMm: new Int32Array(buffer, this.#core.columnAltitude(), length),
      speedMmPerS: new Int32Array(buffer, this.#core.columnSpeed(), length),
      hr: new Uint8Array(buffer, this.#core.columnHr(), length),
      fixType: new Uint8Array(buffer, this.#core.columnFixType(), length),
    };
  }

  rangeBreaks(): RangeBreak[] {
    return this.#rangeBreaks;
  }

  produced(): Produced {
    const account = this.#account();
    const rows = account.producedRows;
    if (rows === 0) return { rows, spans: [] };
    const last = { start: account.spanEarliestMs, end: account.spanLatestMs };
    return { rows, spans: [...this.#endedSpans, last] };
  }

  ecgRawHz(): number {
    return this.#account().ecgRawHz;
  }

  report(): Report {
    const a = this.#account();
    return {
      bytes: {
        total: a.writtenBytes,
        known: a.knownBytes,
        unknown: a.unknownBytes,
        skipped: a.readBytes - a.knownBytes - a.unknownBytes,
      },
      frames: {
        header: a.headerFrames,
        gnss: a.gnssFrames,
        ecgHr: a.ecgHrFrames,
        ecgRaw: a.ecgRawFrames,
        unknown: a.unknownFrames,
      },
      damage: { badChecksums: a.badChecksums, overlong: a.overlong, overruns: a.overruns },
      rows: { total: a.rows, withHr: a.rowsWithHr, twoD: a.rowsTwoD },
      gnssWithoutRow: {
        noDateOrTime: a.withoutDateOrTime,
        noFixOk: a.withoutFixOk,
        fixType: a.withoutFixType,
        outOfRange: a.outOfRange,
        badDate: a.withBadDate,
      },
      start: a.rows === 0 ? null : a.earliestMs,
      end: a.rows === 0 ? null : a.latestMs,
      ranges: this.#rangesOf(a),
    };
  }

  #account(): Account {
    const numbers = new Float64Array(this.#core.memory.buffer, this.#core.account(), ACCOUNT_FIELDS.length);
    return Object.fromEntries(ACCOUNT_FIELDS.map((field, i) => [field, numbers[i]])) as Account;
  }

  #rangesOf(account: Account): Range[] {
    if (account.rows === 0) return [];
    const last = { start: account.rangeStartMs, stop: account.rangeStopMs, size: account.rangeRows };
    return [...this.#closedRanges, last];
  }

  #keepClosedRanges(): void {
    const count = this.#core.closedRangeCount();
    const numbers = new Float64Array(this.#core.memory.buffer, this.#core.closedRanges(), 3 * count);
    for (let i = 0; i < numbers.length; i += 3) {
      this.#closedRanges.push({
        start: numbers[i] ?? 0,
        stop: numbers[i + 1] ?? 0,
        size: numbers[i + 2] ?? 0,
      });
    }
  }

  #readRangeBreaks(): RangeBreak[] {
    const breaks: RangeBreak[] = [];
    const count = this.#core.rangeBreakCount();
    const numbers = new Float64Array(this.#core.memory.buffer, this.#core.rangeBreaks(), 3 * count);
    for (let i = 0; i < numbers.length; i += 3) {
      const [outputOffset = 0, start = Number.NaN, end = Number.NaN] = numbers.subarray(i, i + 3);
      breaks.push({ outputOffset });
      if (!Number.isNaN(start)) this.#endedSpans.push({ start, end });
    }
    return breaks;
  }
}

const DRAINED: Signal = { kind: "drained" };

function stepFunction(core: CoreExports, product: Product): (final: boolean) => number {
  switch (product) {
    case "account":
      return core.stepAccount;
    case "csv":
      return core.stepCsv;
    case "columns":
      return core.stepColumns;
    case "frames":
      return core.stepFrames;
  }
}
