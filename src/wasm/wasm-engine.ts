import type {
  Engine,
  EngineSettings,
  OutputKind,
  Produced,
  RangeBreak,
  Recorded,
  Signal,
} from "../engine.js";
import { serialBytes } from "../header.js";
import { withList } from "../long-list.js";
import type { Range, Report, SampleBatch } from "../types.js";
import {
  ACCOUNT_FIELDS,
  type Account,
  type CoreExports,
  type CoreName,
  CoreSignal,
  instantiateCore,
} from "./core.js";
import { NumberList } from "./number-list.js";
import { WasmRowWriter } from "./wasm-row-writer.js";

// A step works on this much at most, so that input and output stay in the processor's cache.
const MOST_WRITTEN = 0x40000;

/** The WebAssembly core as an `Engine`. */
export class WasmEngine implements Engine {
  readonly name: CoreName;
  readonly rowWriter: WasmRowWriter;
  readonly #core: CoreExports;
  readonly #bytes: Uint8Array;
  readonly #inputEnd: number;
  readonly #output: number;
  #step: (final: boolean) => number;
  // as the core wrote them, see CLOSED_RANGES and RANGE_BREAKS in assembly/memory.ts
  #closedRanges = new NumberList();
  #rangeBreaks = new NumberList();

  constructor(name: CoreName) {
    this.name = name;
    this.#core = instantiateCore(name);
    this.rowWriter = new WasmRowWriter(this.#core);
    this.#bytes = new Uint8Array(this.#core.memory.buffer);
    this.#inputEnd = this.#core.inputEnd();
    this.#output = this.#core.output();
    this.#step = this.#core.stepAccount;
  }

  reset(settings: EngineSettings): void {
    this.#step = stepFunction(this.#core, settings.output);
    this.#closedRanges = new NumberList();
    this.#rangeBreaks = new NumberList();
    const { serial } = settings;
    if (serial !== null) this.#bytes.set(serialBytes(serial), this.#core.givenSerial());
    this.#core.reset(
      settings.needsHeader,
      settings.strict,
      settings.fromMs,
      settings.toMs,
      settings.fillHrMs,
      serial !== null,
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
    const closedRanges = this.#core.closedRangeCount();
    if (closedRanges > 0) this.#closedRanges.append(this.#triples(this.#core.closedRanges(), closedRanges));
    if (this.#core.rangeBreakCount() > 0) this.#rangeBreaks.append(this.#stepRangeBreaks());
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
    const numbers = this.#stepRangeBreaks();
    return Array.from({ length: numbers.length / 3 }, (_, i) => ({ outputOffset: numbers[3 * i] ?? 0 }));
  }

  produced(): Produced {
    const { producedRows: rows, spanEarliestMs, spanLatestMs } = this.#account();
    if (rows === 0) return { rows, start: null, end: null, spans: [] };
    let start = spanEarliestMs;
    let end = spanLatestMs;
    const pieces = this.#rangeBreaks.pieces();
    for (const numbers of pieces) {
      for (let i = 0; i < numbers.length; i += 3) {
        // the first break has no span before it
        if (Number.isNaN(numbers[i + 1])) continue;
        start = Math.min(start, numbers[i + 1] ?? start);
        end = Math.max(end, numbers[i + 2] ?? end);
      }
    }
    return withList({ rows, start, end }, "spans", this.#rangeBreaks.length / 3, () => [
      ...entriesOf(pieces, (_, spanStart, spanEnd) => ({ start: spanStart, end: spanEnd })).slice(1),
      { start: spanEarliestMs, end: spanLatestMs },
    ]);
  }

  recorded(): Recorded {
    const account = this.#account();
    if (account.rows === 0) return { ranges: 0, ms: 0 };
    let ms = Math.abs(account.rangeStopMs - account.rangeStartMs);
    for (const numbers of this.#closedRanges.pieces()) {
      for (let i = 0; i < numbers.length; i += 3) ms += Math.abs((numbers[i + 1] ?? 0) - (numbers[i] ?? 0));
    }
    return { ranges: this.#closedRanges.length / 3 + 1, ms };
  }

  ecgRawHz(): number {
    return this.#account().ecgRawHz;
  }

  report(): Report {
    const a = this.#account();
    const closedRanges = this.#closedRanges.pieces();
    const report = {
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
    };
    return withList(report, "ranges", this.#closedRanges.length / 3, () => rangesOf(a, closedRanges));
  }

  #account(): Account {
    const numbers = new Float64Array(this.#core.memory.buffer, this.#core.account(), ACCOUNT_FIELDS.length);
    return Object.fromEntries(ACCOUNT_FIELDS.map((field, i) => [field, numbers[i]])) as Account;
  }

  #stepRangeBreaks(): Float64Array {
    return this.#triples(this.#core.rangeBreaks(), this.#core.rangeBreakCount());
  }

  // A view of three numbers each, valid until the next step.
  #triples(address: number, count: number): Float64Array {
    return new Float64Array(this.#core.memory.buffer, address, 3 * count);
  }
}

function rangesOf(account: Account, closed: readonly Float64Array[]): Range[] {
  if (account.rows === 0) return [];
  const ranges = entriesOf(closed, (start, stop, size) => ({ start, stop, size }));
  ranges.push({ start: account.rangeStartMs, stop: account.rangeStopMs, size: account.rangeRows });
  return ranges;
}

/** What `make` makes of each three numbers. */
function entriesOf<T>(
  pieces: readonly Float64Array[],
  make: (first: number, second: number, third: number) => T,
): T[] {
  const entries: T[] = [];
  for (const numbers of pieces) {
    for (let i = 0; i < numbers.length; i += 3) {
      entries.push(make(numbers[i] ?? 0, numbers[i + 1] ?? 0, numbers[i + 2] ?? 0));
    }
  }
  return entries;
}

const DRAINED: Signal = { kind: "drained" };

function stepFunction(core: CoreExports, output: OutputKind): (final: boolean) => number {
  switch (output) {
    case "none":
      return core.stepAccount;
    case "csv":
      return core.stepCsv;
    case "columns":
      return core.stepColumns;
    case "frames":
      return core.stepFrames;
  }
}
