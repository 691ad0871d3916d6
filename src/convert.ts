import { type CheckedLayout, type CsvLayout, checkLayout } from "./csv-layout.js";
import { customLineWriter, headerLine, type LineWriter } from "./custom-csv.js";
import type { Decoder } from "./decoder.js";
import { AsiError } from "./errors.js";
import { csvFileNameOfSpans } from "./file-name.js";
import { type Conclusion, Production } from "./production.js";
import type { DecodeOptions, RecordingInfo, Report, Source } from "./types.js";

export interface ConvertOptions extends DecodeOptions, CsvLayout {}

/** A CSV on its way. The promises are fulfilled when the stream has been read to its end. */
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
  const pieces = new CsvPieces(source, options);
  const csv = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await pieces.next();
        if (piece === null) controller.close();
        else controller.enqueue(piece.bytes);
      },
      cancel: (reason) => pieces.cancel(reason),
    },
    // nothing is read before it is asked for
    { highWaterMark: 0 },
  );
  const report = pieces.conclusion.then((conclusion) => conclusion.report);
  const fileName = pieces.conclusion.then(conversionFileName);
  report.catch(() => {});
  fileName.catch(() => {});
  return { csv, fileName, report, info: pieces.info };
}

/** Name of the CSV with the rows produced. Throws `NO_SAMPLES` when there was none. */
export function conversionFileName({ info, produced, report }: Conclusion): string {
  const name = csvFileNameOfSpans(info.serial, produced.spans);
  if (name === null) throw noSamples(report);
  return name;
}

export function noSamples(report: Report): AsiError {
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
  /** Offsets in `bytes` at which the rows of another range begin; the first range begins where its first row does. */
  rangeBreaks: number[];
}

/**
 * The CSV piece by piece. `isCopied: false` hands over views that hold until the next piece: for those who write them
 * away at once. Pieces hold whole lines. The header line is not part of them but of `header`, when `hasHeaderInside` is
 * false: for those who begin several files.
 */
export class CsvPieces {
  readonly header: Uint8Array;
  readonly #layout: CheckedLayout;
  readonly #production: Production<CsvPiece>;
  #pendingHeader: Uint8Array;
  #writeLines: LineWriter | null = null;

  constructor(source: Source, options: ConvertOptions, { isCopied = true, hasHeaderInside = true } = {}) {
    this.#layout = checkLayout(options);
    this.header = headerLine(this.#layout);
    this.#pendingHeader = hasHeaderInside ? this.header : new Uint8Array(0);
    // another layout takes its time, in which the view may pass away
    const isView = this.#layout.isStandard && !isCopied;
    this.#production = new Production(source, "csv", options, (decoder) => this.#take(decoder, isView));
  }

  get conclusion(): Promise<Conclusion> {
    return this.#production.conclusion;
  }

  get info(): Promise<RecordingInfo> {
    return this.#production.info;
  }

  /** The next piece; null at the end. Throws `NO_SAMPLES` at the end when there was none. */
  async next(): Promise<CsvPiece | null> {
    const piece = await this.#production.next();
    if (piece === null) {
      const { produced, report } = await this.#production.conclusion;
      if (produced.rows === 0) throw noSamples(report);
      return null;
    }
    return this.#layout.isStandard ? piece : await this.#relay(piece);
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#production.cancel(reason);
  }

  #take(decoder: Decoder, isView: boolean): CsvPiece | null {
    const view = decoder.engine.csv();
    if (view.length === 0) return null;
    const header = this.#layout.isStandard ? this.#takeHeader() : NOTHING;
    const rangeBreaks = decoder.engine.rangeBreaks().map(({ outputOffset }) => outputOffset + header.length);
    if (header.length === 0) return { bytes: isView ? view : view.slice(), rangeBreaks };
    return { bytes: join(header, view), rangeBreaks };
  }

  // Lines in another layout, range by range, so that the breaks can be told in the new bytes.
  async #relay(piece: CsvPiece): Promise<CsvPiece> {
    this.#writeLines ??= await customLineWriter(this.#layout);
    const cuts = [...piece.rangeBreaks.filter((offset) => offset > 0), piece.bytes.length];
    const rangeBreaks: number[] = [];
    let bytes = this.#takeHeader();
    let start = 0;
    for (const cut of cuts) {
      if (piece.rangeBreaks.includes(start)) rangeBreaks.push(bytes.length);
      bytes = join(bytes, await this.#writeLines(piece.bytes.subarray(start, cut)));
      start = cut;
    }
    return { bytes, rangeBreaks };
  }

  #takeHeader(): Uint8Array {
    const header = this.#pendingHeader;
    this.#pendingHeader = NOTHING;
    return header;
  }
}

const NOTHING = new Uint8Array(0);

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
