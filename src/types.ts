/** What a caller may hand in as a recording: bytes at once, or bytes as they come. */
export type Source =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>;

/** The recording's header (frame `ASI-INF`). */
export interface RecordingInfo {
  /**
   * Of the device; fit to be part of a file name: `[A-Za-z0-9._-]`, 1 to 16 characters, not beginning with `-` or `.`, and no
   * name of a device on Windows.
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

/** Consecutive rows, none of which is more than 300,000 ms away from the one before it. */
export interface Range {
  /** First row, ms since 1970 UTC. */
  start: number;
  /** Last row, ms since 1970 UTC. */
  stop: number;
  /** Number of rows. */
  size: number;
}

/** Where every byte and every frame of a recording went. `bytes.known + unknown + skipped = total`. */
export interface Report {
  bytes: { total: number; known: number; unknown: number; skipped: number };
  frames: { header: number; gnss: number; ecgHr: number; ecgRaw: number; unknown: number };
  /** Frames that began and did not hold. */
  damage: { badChecksums: number; overlong: number; overruns: number };
  rows: { total: number; withHr: number; twoD: number };
  /** GNSS frames that gave no row, each under the first reason that applies, in this order. */
  gnssWithoutRow: {
    noDateOrTime: number;
    noFixOk: number;
    fixType: number;
    outOfRange: number;
    badDate: number;
  };
  /** Earliest row, ms since 1970 UTC; null without rows. */
  start: number | null;
  /** Latest row, ms since 1970 UTC; null without rows. */
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
  /** Metres above mean sea level, a multiple of 0.001; null when the fix was two-dimensional. */
  altitude: number | null;
  /** Metres per second over ground, a multiple of 0.001. */
  speed: number;
  /** Beats per minute, 1 to 255; null when no reading belongs to this row. */
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
}

export interface DecodeOptions {
  /**
   * Serial number that overrides the headers'. With it a plain u-blox log is read as a recording. As in a header:
   * `[A-Za-z0-9._-]`, 1 to 16 characters, not beginning with `-` or `.`.
   */
  serial?: string | undefined;
  /** Turn the first damage into an `AsiError` `DAMAGED`. */
  strict?: boolean | undefined;
  /** Only rows not earlier than this (ms since 1970 UTC, or a Date). The report still accounts for the whole input. */
  from?: number | Date | undefined;
  /** Only rows not later than this (ms since 1970 UTC, or a Date). */
  to?: number | Date | undefined;
  /**
   * Carry a heart-rate reading forward onto rows without one of their own, as long as it is at most this old: whole ms,
   * or Infinity. Default 0: nothing is repeated that the sensor did not say.
   */
  fillHrMs?: number | undefined;
  /** Stops the work with `ABORTED`. */
  signal?: AbortSignal | undefined;
  /** Which decoder does the work; default the fastest that this machine runs. All give the same bytes. */
  engine?: EngineName | undefined;
}

/**
 * `simd`: the WebAssembly core, with SIMD; `plain`: TypeScript alone, for where WebAssembly may not run; `scalar`: the core without
 * SIMD, which is no part of the library and runs after `initialize` has got its module.
 */
export type EngineName = "simd" | "scalar" | "plain";
