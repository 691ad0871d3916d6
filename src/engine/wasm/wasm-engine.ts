import { qualityIn } from "../../metrics/quality.js";
import { serialBytes } from "../../recording/header.js";
import { batchIn } from "../../rows/sample-batch.js";
import type { BeatBatch, Report, SampleBatch } from "../../types.js";
import type {
  Engine,
  EngineSettings,
  OutputKind,
  Produced,
  RangeBreak,
  Recorded,
  StepResult,
} from "../engine.js";
import { COUNTERS, type Counters, damageOf, RangeLog } from "../engine-counters.js";
import { type EcgFigures, figuresOf } from "../heart-rate/waveform-figures.js";
import {
  type CoreExports,
  type CoreName,
  CoreStepResult,
  HEART_RATE_SOURCE,
  instantiateCore,
  WAVEFORM_USE,
} from "./core.js";
import { WasmRowWriter } from "./wasm-row-writer.js";

// Maximum input of a step in bytes. With this size, input and output stay in the processor's cache.
const MAX_WRITTEN = 0x40000;

/** The WebAssembly core as an `Engine`. */
export class WasmEngine implements Engine {
  readonly name: CoreName;
  readonly rowWriter: WasmRowWriter;
  readonly #core: CoreExports;
  readonly #bytes: Uint8Array;
  readonly #inputEnd: number;
  readonly #output: number;
  #step: (final: boolean) => number;
  #analysesEcg = false;
  #hasQuality = false;
  // entries as in CLOSED_RANGES and RANGE_BREAKS in assembly/memory.ts
  #ranges = new RangeLog();

  constructor(name: CoreName) {
    this.name = name;
    this.#core = instantiateCore(name);
    this.rowWriter = new WasmRowWriter(this.#core);
    this.#bytes = new Uint8Array(this.#core.memory.buffer);
    this.#inputEnd = this.#core.inputEnd();
    this.#output = this.#core.output();
    this.#step = this.#core.stepWithoutOutput;
  }

  reset(settings: EngineSettings): void {
    this.#step = stepFunction(this.#core, settings.output);
    this.#ranges = new RangeLog();
    const { output, analysesEcg } = settings;
    this.#analysesEcg = analysesEcg;
    // the core writes beats to the same memory as CSV and frames
    const waveform = output === "csv" || output === "frames" ? "figures" : "beats";
    this.#hasQuality = settings.quality;
    const { serial } = settings;
    if (serial !== null) this.#bytes.set(serialBytes(serial), this.#core.givenSerial());
    this.#core.reset(
      settings.needsHeader,
      settings.strict,
      settings.fromMs,
      settings.toMs,
      settings.fillHrMs,
      serial !== null,
      HEART_RATE_SOURCE[settings.hr],
      WAVEFORM_USE[analysesEcg ? waveform : "rows"],
      settings.quality,
    );
  }

  write(chunk: Uint8Array, offset: number): number {
    const wanted = Math.min(chunk.length - offset, MAX_WRITTEN);
    const at = this.#core.reserve(wanted);
    const taken = Math.min(wanted, this.#inputEnd - at);
    this.#bytes.set(taken === chunk.length ? chunk : chunk.subarray(offset, offset + taken), at);
    this.#core.commit(taken);
    return taken;
  }

  step(final: boolean): StepResult {
    const signal = this.#step(final);
    const closed = this.#core.closedRangeCount();
    if (closed + this.#core.rangeBreakCount() > 0) {
      this.#ranges.append(this.#triples(this.#core.closedRanges(), closed), this.#stepRangeBreaks());
    }
    if (signal === CoreStepResult.drained) return DRAINED;
    const byteOffset = this.#core.signalOffset();
    const damage = damageOf(signal);
    if (damage !== undefined) return { kind: "damaged", byteOffset, damage };
    if (signal === CoreStepResult.notRecording) return { kind: "notRecording", byteOffset };
    const start = this.#core.signalPayload();
    const payload = this.#bytes.subarray(start, start + this.#core.signalLength());
    return { kind: "header", byteOffset, payload };
  }

  csv(): Uint8Array {
    return this.#bytes.subarray(this.#output, this.#core.outputEnd());
  }

  frames(): Uint8Array {
    return this.csv();
  }

  columns(): SampleBatch {
    const { memory, columns, quality, rowCapacity, columnLength } = this.#core;
    const batch = batchIn(memory.buffer, columns(), rowCapacity(), columnLength());
    if (this.#hasQuality) {
      batch.quality = qualityIn(memory.buffer, quality(), rowCapacity(), columnLength());
    }
    return batch;
  }

  beats(): BeatBatch {
    // entries of three numbers, as in onBeat in assembly/heart-rate/derived.ts
    const numbers = new Float64Array(
      this.#core.memory.buffer,
      this.#output,
      (this.#core.beatsEnd() - this.#output) / Float64Array.BYTES_PER_ELEMENT,
    );
    const length = numbers.length / 3;
    const column = (place: number) => Float64Array.from({ length }, (_, i) => numbers[3 * i + place] ?? 0);
    return { length, timestampMs: column(0), rrMs: column(1), quality: Uint8Array.from(column(2)) };
  }

  rangeBreaks(): RangeBreak[] {
    const numbers = this.#stepRangeBreaks();
    return Array.from({ length: numbers.length / 3 }, (_, i) => ({ outputOffset: numbers[3 * i] ?? 0 }));
  }

  produced(): Produced {
    return this.#ranges.produced(this.#counters());
  }

  recorded(): Recorded {
    return this.#ranges.recorded(this.#counters());
  }

  ecgRawHz(): number {
    return this.#counters().ecgRawHz;
  }

  ecgFigures(): EcgFigures | null {
    return this.#analysesEcg ? figuresOf(this.#counters()) : null;
  }

  report(): Report {
    return this.#ranges.report(this.#counters());
  }

  #counters(): Counters {
    const numbers = new Float64Array(this.#core.memory.buffer, this.#core.counters(), COUNTERS.length);
    return Object.fromEntries(COUNTERS.map((field, i) => [field, numbers[i]])) as Counters;
  }

  #stepRangeBreaks(): Float64Array {
    return this.#triples(this.#core.rangeBreaks(), this.#core.rangeBreakCount());
  }

  // Returns a view of `count` entries of three numbers each, which is valid until the next step.
  #triples(address: number, count: number): Float64Array {
    return new Float64Array(this.#core.memory.buffer, address, 3 * count);
  }
}

const DRAINED: StepResult = { kind: "drained" };

function stepFunction(core: CoreExports, output: OutputKind): (final: boolean) => number {
  switch (output) {
    case "none":
    case "beats":
      return core.stepWithoutOutput;
    case "csv":
      return core.stepCsv;
    case "columns":
      return core.stepColumns;
    case "frames":
      return core.stepFrames;
  }
}
