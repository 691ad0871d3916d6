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
  /** the bytes of the valid frames, except headers that are signalled */
  | "frames"
  /** heart beats in the ECG waveform */
  | "beats";

export interface EngineSettings {
  output: OutputKind;
  /** Serial number that overrides the headers, at most 16 ASCII characters; null to use the serial numbers of the headers. */
  serial: string | null;
  /** Whether the first valid frame must be a recording header (without a given serial number). */
  needsHeader: boolean;
  /** Whether to stop at the first damage. */
  strict: boolean;
  /** Rows outside [fromMs, toMs] are counted in the report but not produced. Integers, or ±Infinity for no limit. */
  fromMs: number;
  toMs: number;
  /** Maximum age in ms of a heart rate that is repeated on later rows, an integer or Infinity; 0 to repeat none. */
  fillHrMs: number;
  /** The source of the heart rates of rows. */
  hr: HrSource;
  /** Whether `columns` include the columns of `quality`. */
  quality: boolean;
  /** Whether to analyse the whole ECG waveform, including parts that no row needs. The output `beats` requires it. */
  analysesEcg: boolean;
}

/** The reason why `step` returned. */
export type StepResult =
  /** All written bytes have been read as far as possible. Write more; after a final step, the input is complete. */
  | { kind: "drained" }
  /**
   * A valid ASI-INF frame with new content. `payload` is valid until the next call. The frame is already counted, and the next
   * `step` continues after it. A header with the correct length and version, and the same serial number as the last signalled
   * header that had both (any serial number if `serial` is set), is a repetition. It causes no signal, and `frames` contains
   * it, with `serial` if that is set.
   */
  | { kind: "header"; byteOffset: number; payload: Uint8Array }
  /** The first valid frame is not a header. Only with `needsHeader`. */
  | { kind: "notRecording"; byteOffset: number }
  /** A frame is damaged. Only with `strict`. */
  | { kind: "damaged"; byteOffset: number; damage: keyof Report["damage"] };

/** A change of the output to another range: the position of the first produced row of that range. */
export interface RangeBreak {
  /** Offset in `csv()`, or index in `columns()`, of this step. */
  outputOffset: number;
}

/** Times of the earliest and latest row of a group, ms since 1970 UTC. */
export interface Span {
  start: number;
  end: number;
}

/** The produced rows. They differ from those of the report if `fromMs` or `toMs` exclude rows. */
export interface Produced {
  rows: number;
  /** Times of the earliest and latest produced row, ms since 1970 UTC; null if there is none. */
  start: number | null;
  end: number | null;
  /** One entry for each range with produced rows, in order. There are as many as range breaks. */
  spans: Span[];
}

/** The recorded time, which is the time of the ranges. */
export interface Recorded {
  /** Number of ranges. */
  ranges: number;
  /** The sum of their lengths. */
  ms: number;
}

/**
 * The decoder, without its own input or output. Callers write bytes, run a step, and read its output. Implemented by the
 * WebAssembly core, in TypeScript, and by the oracle of the tests.
 *
 * Contract: after each `step`, with any signal, read the output of that step (`csv`, `columns`, `frames`) before the next
 * `write` or `step`. It consists of views that the next step overwrites.
 */
export interface Engine {
  readonly name: EngineName;
  /** Writes rows as text. It is fastest for rows of `columns`, and does not depend on the recording that is being read. */
  readonly rowWriter: RowWriter;
  /** Starts a new input. */
  reset(settings: EngineSettings): void;
  /** Copies bytes of `chunk`, starting at `offset`. Returns the number of copied bytes (0 only if a step must run first). */
  write(chunk: Uint8Array, offset: number): number;
  /** Reads the written bytes. `final` means that no more bytes follow, so frames that extend past the end are overruns. */
  step(final: boolean): StepResult;
  /** CSV lines of the last step. */
  csv(): Uint8Array;
  /** Rows of the last step. */
  columns(): SampleBatch;
  /** Valid frames of the last step, except headers that were signalled. */
  frames(): Uint8Array;
  /** Beats of the last step, as copies. Requires `analysesEcg`, and not the outputs `csv` and `frames`. */
  beats(): BeatBatch;
  /** Ranges that started within the CSV or columns of the last step, in order. */
  rangeBreaks(): RangeBreak[];
  /** Rows produced so far. */
  produced(): Produced;
  /** Number and total length of the ranges so far. */
  recorded(): Recorded;
  /** Sample rate in Hz of the last ECG waveform frame; 0 if there was none. */
  ecgRawHz(): number;
  /** Figures of the ECG waveform; null unless the whole waveform is analysed and has at least a second. */
  ecgFigures(): EcgFigures | null;
  /** The report so far; `bytes.skipped` counts only bytes that have been passed. */
  report(): Report;
}
