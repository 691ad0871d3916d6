import { requireBooleans, requireOptions, shown } from "../arguments.js";
import type { EngineSettings, OutputKind } from "../engine/engine.js";
import { AsiError } from "../errors.js";
import { type CsvLayout, LAYOUT_OPTIONS } from "../rows/csv-layout.js";
import type { BeatBatch, ColumnsOptions, SampleBatch } from "../types.js";
import { COLUMNS_OPTIONS, checkDecodeOptions } from "./decode-options.js";

/** The outputs of a reader, by kind. */
export interface Outputs {
  /** Whole lines of a CSV, starting with the header line. */
  csv: Uint8Array;
  /** Rows as columns of integers. */
  columns: SampleBatch;
  /** The valid frames, including headers: a recording without damage. */
  frames: Uint8Array;
  /** Heart beats in the ECG waveform. */
  beats: BeatBatch;
  none: never;
}

export interface RecordingReaderOptions<K extends OutputKind = OutputKind>
  extends Omit<ColumnsOptions, "signal">,
    CsvLayout {
  /**
   * The kind of output: `csv` (in the layout of the other options), `columns`, `frames`, `beats`, or `none` for only the header
   * and the result.
   */
  output: K;
}

/** Only one row in ten has a heart rate, so most heart rates would be lost with the rows that are dropped. */
const THINNED_FILL_HR_MS = 2000;

const OUTPUT_KINDS: readonly unknown[] = ["csv", "columns", "frames", "beats", "none"] satisfies OutputKind[];

// The reader is synchronous, so a signal could not abort it.
const READER_OPTIONS = [...COLUMNS_OPTIONS.filter((name) => name !== "signal"), ...LAYOUT_OPTIONS, "output"];

/** Selects the options of a `RecordingReader` from the options of a function that uses one. */
export function readerOptionsIn<K extends OutputKind>(
  options: RecordingReaderOptions<K>,
): RecordingReaderOptions<K> {
  const own = { ...options };
  for (const name of Object.keys(own)) {
    if (!READER_OPTIONS.includes(name)) Reflect.deleteProperty(own, name);
  }
  return own;
}

/** Throws `BAD_OPTION` for invalid options. */
export function checkReaderOptions(options: RecordingReaderOptions): void {
  requireOptions(options, READER_OPTIONS);
  checkDecodeOptions(options);
  requireBooleans(options, ["quality"]);
  if (OUTPUT_KINDS.includes(options.output)) return;
  throw new AsiError(
    "BAD_OPTION",
    `output is ${shown(options.output)}; it must be csv, columns, frames, beats or none.`,
  );
}

/** Converts checked options to settings of an engine. */
export function settingsOf(options: RecordingReaderOptions): EngineSettings {
  return {
    output: options.output,
    serial: options.serial ?? null,
    needsHeader: options.serial === undefined,
    strict: options.strict ?? false,
    // row times are whole milliseconds
    fromMs: options.from === undefined ? Number.NEGATIVE_INFINITY : Math.ceil(Number(options.from)),
    toMs: options.to === undefined ? Number.POSITIVE_INFINITY : Math.floor(Number(options.to)),
    fillHrMs: options.fillHrMs ?? (options.everyMs === undefined ? 0 : THINNED_FILL_HR_MS),
    hr: options.hr ?? "auto",
    quality: options.output === "columns" && options.quality === true,
    analysesEcg: options.output === "beats" || (options.output === "none" && options.hr !== "device"),
  };
}
