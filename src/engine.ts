import type { RowWriter } from "./row-text/row-writer.js";
import type { EngineName, Report, SampleBatch } from "./types.js";

/** What an engine makes of the rows while it reads. */
export type OutputKind =
  /** nothing but the account */
  | "none"
  /** lines of the standard CSV, without its header line */
  | "csv"
  /** columns */
  | "columns"
  /** the bytes of the valid frames, without the headers that are signalled */
  | "frames";

export interface EngineSettings {
  output: OutputKind;
  /** Serial number that overrides those of the headers, up to 16 characters of ASCII; null: theirs hold. */
  serial: string | null;
  /** Whether the first valid frame must be a recording header (no serial number was given). */
  needsHeader: boolean;
  /** Stop at the first damage. */
  strict: boolean;
  /** Rows outside [fromMs, toMs] are counted in the report but not produced. Whole numbers; ±Infinity: no limit. */
  fromMs: number;
  toMs: number;
  /** Greatest age in ms of a carried heart-rate reading, a whole number or Infinity; 0: none is carried. */
  fillHrMs: number;
}

/** Why `step` came back. */
export type Signal =
  /** All that was written has been used as far as it can be: write more, or, after a final step, all is done. */
  | { kind: "drained" }
  /**
   * A valid ASI-INF frame that says something new; `payload` is valid until the next call. The frame is already counted.
   * `step` goes on behind it. One that has the right length and version, and the serial number of the last one signalled
   * that had both (any, where one is given), repeats it: no signal, and `frames` has it, with the serial number given.
   */
  | { kind: "header"; byteOffset: number; payload: Uint8Array }
  /** `needsHeader`, and the first valid frame is another one. */
  | { kind: "notRecording"; byteOffset: number }
  /** `strict`, and a frame did not hold. */
  | { kind: "damaged"; byteOffset: number; damage: keyof Report["damage"] };

/** Where the output passes to another range: the place of the first produced row of that range. */
export interface RangeBreak {
  /** Offset in `csv()`, or index in `columns()`, of this step. */
  outputOffset: number;
}

/** Earliest and latest of some rows, ms since 1970 UTC. */
export interface Span {
  start: number;
  end: number;
}

/** The rows produced: differs from the report's when `fromMs` or `toMs` leave rows out. */
export interface Produced {
  rows: number;
  /** Earliest and latest of them, ms since 1970 UTC; null when there is none. */
  start: number | null;
  end: number | null;
  /** The produced rows of each range that has any, in order: as many as there were range breaks. */
  spans: Span[];
}

/** The time in which there are rows. */
export interface Recorded {
  /** How many ranges. */
  ranges: number;
  /** The sum of their lengths. */
  ms: number;
}

/**
 * The decoder itself, without input or output of its own: bytes are written in, steps are taken, output is read out.
 * The WebAssembly core and the engine in TypeScript implement it alike, and so does the oracle of the tests.
 *
 * Contract: after each `step`, whatever its signal, the output of that step is read (`csv`, `columns`, `frames`)
 * before the next `write` or `step`: views that the next step overwrites.
 */
export interface Engine {
  readonly name: EngineName;
  /** Writes rows as text; fastest those of `columns`. Has nothing to do with the recording that is being read. */
  readonly rowWriter: RowWriter;
  /** Begins another input. */
  reset(settings: EngineSettings): void;
  /** Copies bytes of `chunk` from `offset` in; returns how many were taken (0 only when a step is due first). */
  write(chunk: Uint8Array, offset: number): number;
  /** `final`: no more bytes will be written; frames that run past the end are overruns. */
  step(final: boolean): Signal;
  /** CSV lines of the last step. */
  csv(): Uint8Array;
  /** Rows of the last step. */
  columns(): SampleBatch;
  /** Valid frames of the last step, without headers that were signalled. */
  frames(): Uint8Array;
  /** Ranges that began within the CSV or columns of the last step, in order. */
  rangeBreaks(): RangeBreak[];
  /** Rows produced so far. */
  produced(): Produced;
  /** The ranges of the account so far, without a list of them. */
  recorded(): Recorded;
  /** Sample rate in Hz of the last ECG waveform frame; 0 when there was none. */
  ecgRawHz(): number;
  /** The account so far; `bytes.skipped` counts only what has been passed by. */
  report(): Report;
}
