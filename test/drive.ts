import type {
  Engine,
  EngineSettings,
  OutputKind,
  Produced,
  Recorded,
  StepResult,
} from "../src/engine/engine.js";
import { EngineDriver } from "../src/engine/engine-driver.js";
import type { EcgFigures } from "../src/engine/heart-rate/waveform-figures.js";
import type { BeatBatch, Range, Report, SampleBatch, SampleQuality } from "../src/types.js";
import { joined } from "./frames.js";

/** All results of an engine for one input. */
export interface Outcome {
  csv: string;
  columns: SampleColumns;
  /** Null if it was not requested. */
  quality: QualityColumns | null;
  frames: Uint8Array;
  beats: BeatColumns;
  ecgFigures: EcgFigures | null;
  /** Starts of ranges as positions in `csv`, or indices in `columns`. */
  rangeBreaks: number[];
  headers: { byteOffset: number; payload: Uint8Array }[];
  produced: Produced;
  recorded: Recorded;
  ranges: Range[];
  report: Report;
  /** The signal that ended the work early; null if the input was read to its end. */
  stop: StepResult | null;
}

/** The columns of all steps as plain arrays. */
export type SampleColumns = { [column in Exclude<keyof SampleBatch, "length" | "quality">]: number[] };

/** Their quality as plain arrays. */
export type QualityColumns = { [column in keyof SampleQuality]: number[] };

/** The beats of all steps as plain arrays. */
export type BeatColumns = { [column in Exclude<keyof BeatBatch, "length">]: number[] };

/** Settings for a CSV, from the first frame to the last. */
export const DEFAULT_SETTINGS: EngineSettings = {
  output: "csv",
  serial: null,
  needsHeader: false,
  strict: false,
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  fillHrMs: 0,
  hr: "auto",
  quality: false,
  analysesEcg: false,
};

/**
 * Runs an engine on an input, chunk by chunk, with the library's driver. The output of each step is copied
 * immediately, because the next step overwrites it.
 */
export function drive(
  engine: Engine,
  chunks: Uint8Array | Iterable<Uint8Array>,
  settings: Partial<EngineSettings> = {},
): Outcome {
  const used = { ...DEFAULT_SETTINGS, ...settings };
  if (used.output === "beats") used.analysesEcg = true;
  const driver = new EngineDriver(engine, used);
  const collected = new Collected(used);
  const input = chunks instanceof Uint8Array ? [chunks] : chunks;
  let stop: StepResult | null = null;

  const readOn = (): void => {
    while (!driver.needsInput && !driver.isDone && stop === null) {
      const signal = driver.step();
      collected.take(engine);
      if (signal.kind === "header") {
        collected.headers.push({ byteOffset: signal.byteOffset, payload: signal.payload.slice() });
      } else if (signal.kind !== "drained") {
        stop = signal;
      }
    }
  };

  for (const chunk of input) {
    if (stop !== null) break;
    driver.give(chunk);
    readOn();
  }
  driver.give(null);
  readOn();

  return {
    ...collected.outputs(),
    produced: engine.produced(),
    recorded: engine.recorded(),
    ecgFigures: engine.ecgFigures(),
    ranges: engine.report().ranges,
    report: engine.report(),
    stop,
  };
}

class Collected {
  readonly headers: Outcome["headers"] = [];
  readonly #output: OutputKind;
  readonly #csv: Uint8Array[] = [];
  readonly #frames: Uint8Array[] = [];
  readonly #rangeBreaks: number[] = [];
  readonly #hasBeats: boolean;
  readonly #columns: SampleColumns = {
    timestampMs: [],
    latitudeE7: [],
    longitudeE7: [],
    altitudeMm: [],
    speedMmPerS: [],
    hr: [],
    fixType: [],
  };
  #quality: QualityColumns | null = null;
  readonly #beats: BeatColumns = { timestampMs: [], rrMs: [], quality: [] };
  #csvBytes = 0;

  constructor({ output, analysesEcg }: EngineSettings) {
    this.#output = output;
    this.#hasBeats = output === "beats" || (output === "columns" && analysesEcg);
  }

  take(engine: Engine): void {
    if (this.#output === "csv") {
      for (const { outputOffset } of engine.rangeBreaks()) {
        this.#rangeBreaks.push(this.#csvBytes + outputOffset);
      }
      const csv = engine.csv().slice();
      this.#csv.push(csv);
      this.#csvBytes += csv.length;
    }
    if (this.#output === "frames") this.#frames.push(engine.frames().slice());
    if (this.#hasBeats) {
      const batch = engine.beats();
      for (const column of Object.keys(this.#beats) as (keyof BeatColumns)[]) {
        for (const value of batch[column]) this.#beats[column].push(value);
      }
    }
    if (this.#output === "columns") {
      const batch = engine.columns();
      for (const { outputOffset } of engine.rangeBreaks()) {
        this.#rangeBreaks.push(this.#columns.timestampMs.length + outputOffset);
      }
      for (const column of Object.keys(this.#columns) as (keyof SampleColumns)[]) {
        for (const value of batch[column].subarray(0, batch.length)) this.#columns[column].push(value);
      }
      if (batch.quality !== undefined) {
        this.#quality ??= { satellites: [], speedAccuracyMmPerS: [], pdopHundredths: [] };
        for (const column of Object.keys(this.#quality) as (keyof QualityColumns)[]) {
          this.#quality[column].push(...batch.quality[column]);
        }
      }
    }
  }

  outputs(): Pick<Outcome, "csv" | "columns" | "quality" | "frames" | "beats" | "rangeBreaks" | "headers"> {
    return {
      csv: new TextDecoder().decode(joined(this.#csv)),
      columns: this.#columns,
      quality: this.#quality,
      frames: joined(this.#frames),
      beats: this.#beats,
      rangeBreaks: this.#rangeBreaks,
      headers: this.headers,
    };
  }
}

/** `bytes` in pieces of `size`. */
export function* pieces(bytes: Uint8Array, size: number): Iterable<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}

/** The fields of each CSV line. */
export function csvFieldsOf({ csv }: Outcome): string[][] {
  if (csv !== "" && !csv.endsWith("\n")) throw new Error("the last line has no end");
  return csv
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(","));
}
