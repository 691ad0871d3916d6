// Platforms declare these types with all their members. Without such declarations (only `lib: es2022`), they are empty, so that
// the types of the package compile nevertheless.
declare global {
  interface ReadableStream<R> {}
  interface WritableStream<W> {}
  interface Blob {}
  interface AbortSignal {}
}

/** A recording as input: bytes in memory, or bytes that arrive in chunks. */
export type Source =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>
  | BodyOfFetch;

/** A `Response`, such as the result of `fetch`, whose body is read. */
export interface BodyOfFetch {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly bodyUsed: boolean;
}

/** The recording's header (frame `ASI-INF`). */
export interface RecordingInfo {
  /**
   * Serial number of the device. It can be part of a file name: 1 to 16 characters of `[A-Za-z0-9._-]`, not starting with `-` or
   * `.`, and not a reserved device name of Windows.
   */
  serial: string;
  deviceName: string;
  deviceType: string;
  firmwareVersion: string;
  /** Nominal time between two GNSS epochs in ms; 0 when unknown. */
  periodMs: number;
  /** Format version of the header; null when there is no header because the caller gave the serial number. */
  formatVersion: number | null;
}

/** A range: consecutive rows, each at most 300,000 ms from the previous one. */
export interface Range {
  /** First row, ms since 1970 UTC. */
  start: number;
  /** Last row, ms since 1970 UTC. */
  stop: number;
  /** Number of rows. */
  size: number;
}

/** A damaged place in a recording. */
export interface DamagePlace {
  /** Offset of the frame in the recording. */
  byteOffset: number;
  kind: keyof Report["damage"];
  /** The last row before it, ms since 1970 UTC; null if there is none. */
  afterMs: number | null;
}

/** Accounts for every byte and frame of a recording: `bytes.known + unknown + skipped = total`. */
export interface Report {
  bytes: { total: number; known: number; unknown: number; skipped: number };
  frames: { header: number; gnss: number; ecgHr: number; ecgRaw: number; unknown: number };
  /** Invalid frames. */
  damage: { badChecksums: number; overlong: number; overruns: number };
  /** The first invalid frame; absent if there is none. */
  firstDamage?: DamagePlace;
  rows: {
    total: number;
    withHr: number;
    twoD: number;
    /** Rows whose heart rate was derived from the ECG waveform; absent if there are none. */
    withDerivedHr?: number;
    /** Rows earlier than the row before them; absent if there are none. */
    backwards?: number;
    /** Heart-rate readings without a row, because another reading with the same time replaces them; absent if there are none. */
    replacedHr?: number;
  };
  /** GNSS frames without a row. Each is counted under the first of these reasons that applies. */
  gnssWithoutRow: {
    noDateOrTime: number;
    noFixOk: number;
    fixType: number;
    outOfRange: number;
    badDate: number;
  };
  /** Time of the earliest row, ms since 1970 UTC; null if there are no rows. */
  start: number | null;
  /** Time of the latest row, ms since 1970 UTC; null if there are no rows. */
  end: number | null;
  ranges: Range[];
}

/** One row, in SI units. */
export interface Row {
  /** ms since 1970 UTC, an integer. */
  timestamp: number;
  /** Degrees WGS 84, a multiple of 1e-7. */
  latitude: number;
  /** Degrees WGS 84, a multiple of 1e-7. */
  longitude: number;
  /** Metres above mean sea level, a multiple of 0.001; null for a two-dimensional fix. */
  altitude: number | null;
  /** Metres per second over ground, a multiple of 0.001. */
  speed: number;
  /** Beats per minute, 1 to 255; null if there is no reading for this row. */
  hr: number | null;
}

/** Rows as columns of integers, exactly as received. All columns have `length` entries. */
export interface SampleBatch {
  length: number;
  /** ms since 1970 UTC. */
  timestampMs: Float64Array;
  /** 1e-7 degrees. */
  latitudeE7: Int32Array;
  /** 1e-7 degrees. */
  longitudeE7: Int32Array;
  /** mm above mean sea level; meaningless where `fixType` is 2. */
  altitudeMm: Int32Array;
  /** mm/s over ground. */
  speedMmPerS: Int32Array;
  /** Beats per minute; 0 where there is none. */
  hr: Uint8Array;
  /** 2 (no altitude), 3, or 4 (GNSS and dead reckoning). */
  fixType: Uint8Array;
  /** The quality of each row. Present only with the option `quality`. */
  quality?: SampleQuality;
}

/**
 * The quality of each row as reported by the receiver, with as many entries as the other columns. All three are 0 if unknown,
 * as in a recording written by `encode`.
 */
export interface SampleQuality {
  /** Satellites used (`numSV` of NAV-PVT). */
  satellites: Uint8Array;
  /** Estimated accuracy of the speed, mm/s (`sAcc`). */
  speedAccuracyMmPerS: Uint32Array;
  /** Dilution of precision in position, hundredths (`pDOP`); 9999 is the worst. */
  pdopHundredths: Uint16Array;
}

export interface DecodeOptions {
  /**
   * Serial number that overrides those of the headers. With it, a plain u-blox log can be read as a recording. It must conform to
   * the rules for headers: 1 to 16 characters of `[A-Za-z0-9._-]`, not starting with `-` or `.`.
   */
  serial?: string | undefined;
  /** Throw an `AsiError` `DAMAGED` at the first damage. Default false. */
  strict?: boolean | undefined;
  /** Return only rows at or after this time (ms since 1970 UTC, or a Date). The report still accounts for the whole input. */
  from?: number | Date | undefined;
  /** Return only rows at or before this time (ms since 1970 UTC, or a Date). */
  to?: number | Date | undefined;
  /**
   * Repeat a heart rate in later rows that have none, up to this age: an integer in ms, or Infinity. Default 0: heart rates are
   * not repeated; with `everyMs` the default is 2000.
   */
  fillHrMs?: number | undefined;
  /**
   * Return only the row nearest to each multiple of this time since 1970 UTC, in each range: an integer in ms, 1 or more. With
   * 1000, there is at most one row for each second. Rows keep their own times, and gaps remain gaps. A row half-way between two
   * multiples belongs to the later one. If several rows are equally near, the first one is kept. If times go back to a multiple
   * that already has a row, no further row is kept for it. The report still accounts for the whole input.
   */
  everyMs?: number | undefined;
  /** The source of the heart rates. Default "auto". */
  hr?: HrSource | undefined;
  /** Stops the work with `ABORTED`. */
  signal?: AbortSignal | undefined;
  /** The decoder to use; default the fastest one available. All engines produce the same bytes. */
  engine?: EngineName | undefined;
}

/** Options of functions that return columns. */
export interface ColumnsOptions extends DecodeOptions {
  /** Whether batches include the columns of `quality`. Default false. */
  quality?: boolean | undefined;
}

/**
 * `device`: heart rates as the device recorded them (ECG-HR frames). `ecg`: heart rates derived from the ECG waveform (ECG-RAW
 * frames), one each second while the signal is good. `auto`: derived heart rates until the device's first one.
 */
export type HrSource = "auto" | "device" | "ecg";

/** Heart beats found in the ECG waveform, in order of detection. All columns have `length` entries. */
export interface BeatBatch {
  length: number;
  /** Time of the QRS complex, whole ms since 1970 UTC. */
  timestampMs: Float64Array;
  /** RR interval: time since the previous beat, ms; 0 if it is unknown, after a gap or a pause of 3 s. */
  rrMs: Float64Array;
  /** Prominence of the beat in the signal around it, 0 to 100. */
  quality: Uint8Array;
}

/** Samples of the ECG waveform, as recorded. All columns have `length` entries. */
export interface EcgBatch {
  length: number;
  /** Samples per second, as stated in the frames; the same for the whole batch. */
  sampleRateHz: number;
  /** ms since 1970 UTC. The first sample of a frame has the time of the frame; the others follow at the sample rate. */
  timestampMs: Float64Array;
  /** Sample values in units of the device's converter. */
  sample: Int16Array;
}

/**
 * `simd`: the WebAssembly core with SIMD. `plain`: TypeScript only, for environments where WebAssembly is not allowed. `scalar`:
 * the core without SIMD, which is not embedded in the library; pass its module to `initialize` first.
 */
export type EngineName = "simd" | "scalar" | "plain";
