import { concatenate } from "./concatenate.js";
import { type CheckedLayout, type CsvLayout, checkLayout } from "./csv-layout.js";
import { customLineWriter, headerLine, type LineWriter } from "./custom-csv.js";
import type { Decoder } from "./decoder.js";
import { AsiError } from "./errors.js";
import { csvFileNameOf } from "./file-name.js";
import { type Conclusion, Production } from "./production.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { pulledStream, readingBehind } from "./pulled-stream.js";
import type { DecodeOptions, RecordingInfo, Report, Source } from "./types.js";

export interface ConvertOptions extends DecodeOptions, CsvLayout {}

/**
 * A CSV on its way. The promises are fulfilled when the stream has been read to its end, and rejected when it fails, is
 * cancelled or aborted. Awaited while nobody reads the stream (it has not been touched, or its reader was released early) they
 * are rejected with `NOT_READ` at once. While somebody holds a reader they stay pending, since it may be read from at any time;
 * on Node.js they are rejected with `NOT_READ` when the process has nothing left to do, as long as the reader is referenced.
 * Such a promise can be awaited again and is fulfilled by reading.
 */
export interface Conversion {
  readonly csv: ReadableStream<Uint8Array>;
  /** `{serial}_{start}_{end}.csv`, of the rows written. */
  readonly fileName: Promise<string>;
  readonly report: Promise<Report>;
  /** The header; fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
}

/**
 * Converts a recording to CSV: by default `timestamp,latitude,longitude,altitude,speed,hr`, in s, degrees, m, m/s, bpm.
 * Reads no faster than the stream is read; cancelling the stream lets the source go.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` at once; through the stream and the promises `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, `NO_SAMPLES` (before a byte of CSV has come out), with
 * `strict` also `DAMAGED`, and `NEEDS_NODE` for another layout outside Node.js.
 */
export function convert(source: Source, options: ConvertOptions = {}): Conversion {
  return conversionOf(source, options, "Read csv to its end first, then await it.");
}

/** The same, with what is to be done before a promise is awaited: a sentence. */
export function conversionOf(source: Source, options: ConvertOptions, whatToDo: string): Conversion {
  const pieces = new CsvPieces(source, options);
  const csv = pulledStream(
    async () => (await pieces.next())?.bytes ?? null,
    (reason) => pieces.cancel(reason),
  );
  const promised = promisesOfReading(readingBehind(csv, pieces.production), whatToDo);
  return {
    csv,
    fileName: promised("fileName", pieces.conclusion.then(conversionFileName)),
    report: promised("report", pieces.production.report),
    info: promised("info", pieces.production.info),
  };
}

/** Name of the CSV with the rows produced. Throws `NO_SAMPLES` when there was none. */
export function conversionFileName({ info, produced, report }: Conclusion): string {
  const name = csvFileNameOf(info.serial, produced);
  if (name === null) throw noSamples(report);
  return name;
}

function noSamples(report: Report): AsiError {
  return new AsiError(
    "NO_SAMPLES",
    report.rows.total === 0
      ? "The recording has no row: no GNSS frame in it has a valid date, time and position."
      : "The recording has no row between from and to.",
    { report },
  );
}

/** A part of a CSV. */
export interface CsvPiece {
  bytes: Uint8Array;
  /**
   * Offsets in `bytes` at which the rows of another range begin; the first range begins where its first row does. Empty
   * unless the CSV is to be split.
   */
  rangeBreaks: number[];
}

/** How the pieces are handed over. */
export interface Handover {
  /** False: as views that hold until the next piece, for those who write them away at once; default true. */
  isCopied?: boolean;
  /** One CSV per range: tells where they break, and leaves the header line to those who begin the files; default false. */
  isSplit?: boolean;
}

/** The CSV piece by piece, each of whole lines. */
export class CsvPieces {
  /** What each CSV begins with when there is one per range; otherwise the first piece has it. */
  readonly headerOfEach: Uint8Array;
  readonly #layout: CheckedLayout;
  readonly #isSplit: boolean;
  /** The reading behind. */
  readonly production: Production<CsvPiece>;
  #pendingHeader: Uint8Array;
  #writeLines: LineWriter | null = null;

  constructor(source: Source, options: ConvertOptions, { isCopied = true, isSplit = false }: Handover = {}) {
    this.#layout = checkLayout(options);
    this.#isSplit = isSplit;
    const header = headerLine(this.#layout);
    this.headerOfEach = isSplit ? header : NOTHING;
    this.#pendingHeader = isSplit ? NOTHING : header;
    // another layout takes its time, in which the view may pass away
    const isView = this.#layout.isStandard && !isCopied;
    this.production = new Production(source, "csv", options, (decoder) => this.#take(decoder, isView));
  }

  get conclusion(): Promise<Conclusion> {
    return this.production.conclusion;
  }

  /** The next piece; null at the end. Throws `NO_SAMPLES` at the end when there was none. */
  async next(): Promise<CsvPiece | null> {
    const piece = await this.production.next();
    if (piece === null) {
      const { produced, report } = await this.production.conclusion;
      if (produced.rows === 0) throw noSamples(report);
      return null;
    }
    if (this.#layout.isStandard) return piece;
    try {
      return await this.#relay(piece);
    } catch (error) {
      await this.production.fail(error);
      throw error;
    }
  }

  cancel(reason?: unknown): Promise<void> {
    return this.production.cancel(reason);
  }

  #take(decoder: Decoder, isView: boolean): CsvPiece | null {
    const view = decoder.engine.csv();
    if (view.length === 0) return null;
    const rangeBreaks = this.#isSplit ? decoder.engine.rangeBreaks().map((at) => at.outputOffset) : [];
    const header = this.#layout.isStandard ? this.#takeHeader() : NOTHING;
    if (header.length > 0) return { bytes: concatenate([header, view]), rangeBreaks };
    // `slice` would clear the memory first
    return { bytes: isView ? view : new Uint8Array(view), rangeBreaks };
  }

  // Lines in another layout, cut at the breaks, so that these can be told in the new bytes.
  async #relay({ bytes, rangeBreaks }: CsvPiece): Promise<CsvPiece> {
    this.#writeLines ??= await customLineWriter(this.#layout);
    const parts = [this.#takeHeader()];
    const newBreaks: number[] = [];
    let start = 0;
    let length = 0;
    for (const end of [...rangeBreaks, bytes.length]) {
      if (end > start) {
        const lines = await this.#writeLines(bytes.subarray(start, end));
        parts.push(lines);
        length += lines.length;
      }
      newBreaks.push(length);
      start = end;
    }
    // the end is no break
    newBreaks.pop();
    return { bytes: concatenate(parts), rangeBreaks: newBreaks };
  }

  #takeHeader(): Uint8Array {
    const header = this.#pendingHeader;
    this.#pendingHeader = NOTHING;
    return header;
  }
}

const NOTHING = new Uint8Array(0);
