import type { RowWriter } from "../rows/row-text/row-writer.js";
import type { BeatBatch, EngineName, HrSource, Report, SampleBatch } from "../types.js";
import type { EcgFigures } from "./heart-rate/waveform-figures.js";

/** The output of an engine. */
export type OutputKind =
  /** only counters */
  | "none"
  /** lines of the standard CSV, without its header line */
  | "csv"
  /** columns */
  | "columns"
  /** the bytes of the valid frames, except those of signalled headers */
  | "frames"
  /** heart beats in the ECG waveform */
  | "beats";

export interface EngineSettings {
  output: OutputKind;
  /** Serial number that overrides the headers, at most 16 ASCII characters; null to use the serial numbers of the headers. */
  serial: string | null;
  /** Whether the first valid frame must be a recording header, which is the case unless a serial number is given. */
  needsHeader: boolean;
  /** Whether to stop at the first damage. */
  strict: boolean;
  /** Rows outside [fromMs, toMs] are counted in the report but not produced. Integers, or ±Infinity for no limit. */
  fromMs: number;
  toMs: number;
  /** Maximum age in ms of a heart rate that is repeated in later rows, an integer or Infinity; 0 to repeat none. */
  fillHrMs: number;
  /** The source of the heart rates of rows. */
  hr: HrSource;
  /** Whether `columns` include the columns of `quality`. */
  quality: boolean;
  /** Whether to analyse the whole ECG waveform, including parts that no row needs. The output `beats` requires this setting. */
  analysesEcg: boolean;
}

/** The reason why `step` returned. */
export type StepResult =
  /** All written bytes have been read as far as possible. Write more; after a final step, the input is complete. */
  | { kind: "drained" }
  /**
   * A valid ASI-INF frame with new content. `payload` is valid until the next call. The frame is already counted, and the next
   * `step` continues after it. A header is a repetition if its length and version are correct and its serial number equals that
   * of the last such header; if `serial` is set, its serial number does not matter. A repetition causes no signal, and is part of
   * `frames`, with `serial` if that is set.
   */
  | { kind: "header"; byteOffset: number; payload: Uint8Array }
  /** The first valid frame is not a header. Occurs only with `needsHeader`. */
  | { kind: "notRecording"; byteOffset: number }
  /** A frame is damaged. Occurs only with `strict`. */
  | { kind: "damaged"; byteOffset: number; damage: keyof Report["damage"] };

/** The position in the output at which another range starts: its first produced row. */
export interface RangeBreak {
  /** Offset in the result of `csv()`, or index in the result of `columns()`, for this step. */
  outputOffset: number;
}

/** Times of the earliest and latest row of a group, ms since 1970 UTC. */
export interface Span {
  start: number;
  end: number;
}

/** The produced rows. They differ from the rows in the report if `fromMs` or `toMs` exclude some of them. */
export interface Produced {
  rows: number;
  /** Times of the earliest and latest produced row, ms since 1970 UTC; null if there is none. */
  start: number | null;
  end: number | null;
  /** One entry for each range with produced rows, in order. There are as many entries as range breaks. */
  spans: Span[];
}

/** The recorded time, which is the total length of the ranges. */
export interface Recorded {
  /** Number of ranges. */
  ranges: number;
  /** The sum of their lengths. */
  ms: number;
}

/**
 * The decoder, which performs no input or output itself. Callers write bytes, run a step, and read the output of the step. It is
 * implemented by the WebAssembly core, in TypeScript, and by the test oracle.
 *
 * Contract: after each `step`, with any result, read the output of the step (`csv`, `columns`, `frames`) before the next `write`
 * or `step`. The output consists of views that the next step overwrites.
 */
export interface Engine {
  readonly name: EngineName;
  /** Writes rows as text. It is fastest for the result of `columns`, and independent of the recording that is being read. */
  readonly rowWriter: RowWriter;
  /** Starts a new input. */
  reset(settings: EngineSettings): void;
  /** Copies bytes of `chunk`, starting at `offset`. Returns the number of copied bytes (0 only if a step must run first). */
  write(chunk: Uint8Array, offset: number): number;
  /** Reads the written bytes. If `final` is set, no more bytes follow, so frames that extend past the end are overruns. */
  step(final: boolean): StepResult;
  /** Returns the CSV lines of the last step. */
  csv(): Uint8Array;
  /** Returns the rows of the last step. */
  columns(): SampleBatch;
  /** Returns the valid frames of the last step, except headers that were signalled. */
  frames(): Uint8Array;
  /** Returns the beats of the last step, as copies. It requires `analysesEcg`, and an output other than `csv` and `frames`. */
  beats(): BeatBatch;
  /** Returns the ranges that started within the CSV or columns of the last step, in order. */
  rangeBreaks(): RangeBreak[];
  /** Describes the rows produced so far. */
  produced(): Produced;
  /** Returns the number and total length of the ranges so far. */
  recorded(): Recorded;
  /** Returns the sample rate in Hz of the last ECG waveform frame; 0 if there was none. */
  ecgRawHz(): number;
  /** Returns the figures of the ECG waveform; null unless the whole waveform is analysed and has at least a second. */
  ecgFigures(): EcgFigures | null;
  /** Returns the report so far. `bytes.skipped` counts only bytes at which the search has already passed. */
  report(): Report;
}
