import { optionNames, requireOptions, shortened } from "../arguments.js";
import { AsiError } from "../errors.js";
import { type EncodableRow, encodeRows } from "../recording/encode.js";
import type { RecordingHeader } from "../recording/header.js";
import { checkDelimiter } from "../rows/csv-layout.js";
import { TimeZone } from "../rows/time-zone.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { type ChunkReader, readChunks } from "../sources/source.js";
import {
  CsvTrack,
  type CsvTrackOptions,
  DELIMITER_BYTES,
  delimiterIn,
  LONG_ROW,
  MAX_ROW_LENGTH,
} from "../tracks/csv-track.js";
import { ContinuedSource, readFirstBytes } from "../tracks/first-bytes.js";
import type { Source } from "../types.js";
import { loadFastCsv } from "./load-fast-csv.js";

export type EncodeCsvOptions = CsvTrackOptions;

const OPTIONS = optionNames<EncodeCsvOptions>({ delimiter: true, timeZone: true });

/**
 * Converts a CSV to a recording. The header line must name timestamp, latitude, longitude and speed, in upper or lower case;
 * altitude and hr may be missing or empty; other columns are ignored. The units are as in `convert`. Times can also be dates and
 * times (ISO 8601, with a T or a space), as `convert` writes them with `time` iso, local and excel. Numbers can have a decimal
 * comma, unless the delimiter is a comma.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` immediately; through the stream `BAD_CSV` and `BAD_ROW` with the line
 */
export function encodeCsv(
  source: Source,
  header: RecordingHeader,
  options: EncodeCsvOptions = {},
): ReadableStream<Uint8Array> {
  requireOptions(options, OPTIONS);
  const { delimiter = null, timeZone = "UTC" } = options;
  if (delimiter !== null) checkDelimiter(delimiter);
  const rows = new CsvRows(readChunks(source), delimiter, new TimeZone(timeZone));
  return encodeRows(rows, header, () => ({ name: `Line ${rows.line}`, line: rows.line }));
}

// Maximum length of quoted text in errors. It is limited because the parser's message ends with all unread text.
const MAX_QUOTE_LENGTH = 120;

/** Reads the rows of a CSV. */
class CsvRows implements AsyncIterable<EncodableRow> {
  /** Line where the last row ends, counted from 1. */
  line = 0;
  readonly #chunks: ChunkReader;
  readonly #zone: TimeZone;
  /** The delimiter; null until it is detected. */
  #delimiter: string | null;

  constructor(chunks: ChunkReader, delimiter: string | null, zone: TimeZone) {
    this.#chunks = chunks;
    this.#delimiter = delimiter;
    this.#zone = zone;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EncodableRow> {
    try {
      const first = await readFirstBytes(this.#chunks, DELIMITER_BYTES);
      const delimiter = this.#delimiter ?? delimiterIn(first);
      const track = new CsvTrack(delimiter, this.#zone);
      for await (const fields of this.#readFields(first, delimiter)) {
        const row = track.read({ fields, line: this.line });
        if (row !== null) yield row;
      }
      track.end();
    } finally {
      await this.#chunks.close();
    }
  }

  async *#readFields(first: Uint8Array, delimiter: string): AsyncGenerator<string[]> {
    const { parse } = await loadFastCsv();
    const parser = parse<string[], string[]>({ delimiter, ignoreEmpty: false });
    const feeder = new Feeder(new ContinuedSource(first, this.#chunks), parser);
    parser.transform((row: string[]) => {
      feeder.rowsParsed += 1;
      return row;
    });
    let sourceError: { cause: unknown } | null = null;
    feeder.feed().catch((cause) => {
      sourceError = { cause };
      parser.destroy(cause);
    });
    try {
      for await (const fields of parser as AsyncIterable<string[]>) {
        this.line += 1 + lineBreaks(fields);
        yield fields;
      }
    } catch (cause) {
      // errors of the source are rethrown unchanged
      if (sourceError !== null && !(cause instanceof LongRow)) throw cause;
      // The parser returns no rows from the piece of text in which it fails, so the error is in this line or a later one.
      const line = this.line + 1;
      const message =
        cause instanceof LongRow ? cause.message : shortened((cause as Error).message, MAX_QUOTE_LENGTH);
      // the parser's error is not set as the cause, because its message contains all unread text
      throw new AsiError("BAD_CSV", `The CSV cannot be read at or after line ${line}: ${message}.`, {
        line,
        cause: new Error(message),
      });
    }
  }
}

/** Counts line breaks in fields, which may contain them if they are quoted. */
function lineBreaks(fields: readonly string[]): number {
  return fields.reduce((count, field) => count + (field.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}

interface TextSink {
  write(text: string, done: () => void): boolean;
  end(): unknown;
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
  readonly destroyed: boolean;
}

// Size of the pieces for the parser, which processes each piece synchronously.
const PIECE = 1 << 16;
// The parser processes an incomplete row again with every piece. Without the limit MAX_ROW_LENGTH, a row of several megabytes
// would take minutes.

class LongRow extends Error {
  constructor() {
    super(LONG_ROW);
  }
}

/** Passes the text of a source to the parser, as fast as the parser reads it. */
class Feeder {
  /** Number of rows that the parser has returned. */
  rowsParsed = 0;
  readonly #chunks: ChunkReader;
  readonly #sink: TextSink;
  #unfinished = 0;

  constructor(chunks: ChunkReader, sink: TextSink) {
    this.#chunks = chunks;
    this.#sink = sink;
  }

  /** Throws `LongRow`, and errors of the source. */
  async feed(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      const chunk = await this.#chunks.read();
      if (chunk === null || this.#sink.destroyed) break;
      for (let start = 0; start < chunk.length && !this.#sink.destroyed; start += PIECE) {
        if (isTurnDue()) await takeTurn();
        await this.#write(decoder.decode(chunk.subarray(start, start + PIECE), { stream: true }));
      }
    }
    if (!this.#sink.destroyed) this.#sink.end();
  }

  async #write(text: string): Promise<void> {
    const rowsBefore = this.rowsParsed;
    await new Promise<void>((resolve) => {
      this.#sink.once("close", resolve);
      this.#sink.write(text, () => {
        this.#sink.off("close", resolve);
        resolve();
      });
    });
    // If a row has ended in this piece, the incomplete row begins in the same piece.
    const isRowDone = this.rowsParsed > rowsBefore;
    this.#unfinished = text.length + (isRowDone ? 0 : this.#unfinished);
    if (this.#unfinished > MAX_ROW_LENGTH) throw new LongRow();
  }
}
