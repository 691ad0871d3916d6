import { requireObject, shortened, shown } from "../arguments.js";
import { COLUMNS, type Column, checkDelimiter } from "../csv-layout.js";
import { type EncodableRow, encodeRows } from "../encode.js";
import { AsiError } from "../errors.js";
import { isTurnDue, takeTurn } from "../event-loop-turns.js";
import type { RecordingHeader } from "../header.js";
import { type ChunkReader, readChunks } from "../source.js";
import { ContinuedSource, readFirstBytes } from "../tracks/first-bytes.js";
import type { Source } from "../types.js";
import { isoTimeMs } from "./iso-time.js";
import { loadFastCsv } from "./load-fast-csv.js";

export interface EncodeCsvOptions {
  /** Default the one in the header line: a semicolon, a tab, or a comma. */
  delimiter?: string | undefined;
}

/**
 * Converts a CSV to a recording. Its header line must name timestamp, latitude, longitude and speed; altitude and hr may be
 * missing or empty, other columns are ignored. The units are those of the CSV that `convert` writes; times can also be ISO 8601 with
 * an offset, as `time` iso and local write them. Unless the delimiter is a comma, numbers can have a decimal comma.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` immediately; through the stream `BAD_CSV` and `BAD_ROW` with the line
 */
export function encodeCsv(
  source: Source,
  header: RecordingHeader,
  options: EncodeCsvOptions = {},
): ReadableStream<Uint8Array> {
  requireObject("options", options);
  const { delimiter = null } = options;
  if (delimiter !== null) checkDelimiter(delimiter);
  const rows = new CsvRows(readChunks(source), delimiter);
  return encodeRows(rows, header, () => ({ name: `Line ${rows.line}`, line: rows.line }));
}

// Maximum length of quotes: the parser's own message ends with all unread text.
const MAX_QUOTE_LENGTH = 120;

const REQUIRED: readonly Column[] = ["timestamp", "latitude", "longitude", "speed"];

/** The rows of a CSV as it is read. */
class CsvRows implements AsyncIterable<EncodableRow> {
  /** Line at which the row read last ends, counted from 1. */
  line = 0;
  readonly #chunks: ChunkReader;
  /** Null until it has been detected. */
  #delimiter: string | null;

  constructor(chunks: ChunkReader, delimiter: string | null) {
    this.#chunks = chunks;
    this.#delimiter = delimiter;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EncodableRow> {
    try {
      let indices: Map<Column, number> | null = null;
      for await (const fields of this.#readFields()) {
        if (fields.every((field) => field === "")) continue;
        if (indices === null) indices = columnIndices(fields, this.line);
        else yield rowOf(fields, indices, this.line, this.#delimiter === "," ? DECIMAL : DECIMAL_OR_COMMA);
      }
      if (indices === null) {
        throw new AsiError("BAD_CSV", "The CSV is empty; it needs a header line.", { line: 1 });
      }
    } finally {
      await this.#chunks.close();
    }
  }

  async *#readFields(): AsyncGenerator<string[]> {
    const { parse } = await loadFastCsv();
    const first = await readFirstBytes(this.#chunks, DETECTION_BYTES);
    this.#delimiter ??= delimiterIn(first);
    const parser = parse<string[], string[]>({ delimiter: this.#delimiter, ignoreEmpty: false });
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
        // not by the parser: line breaks at the edges of a quoted field count
        yield fields.map((field) => field.trim());
      }
    } catch (cause) {
      // errors of the source are passed on unchanged
      if (sourceError !== null && !(cause instanceof LongRow)) throw cause;
      // The parser hands over nothing of the piece of text in which it fails: the place is somewhere from here on.
      const line = this.line + 1;
      const message =
        cause instanceof LongRow ? cause.message : shortened((cause as Error).message, MAX_QUOTE_LENGTH);
      // not the parser's own error as its cause: its message holds all that was not read yet
      throw new AsiError("BAD_CSV", `The CSV cannot be read somewhere from line ${line} on: ${message}.`, {
        line,
        cause: new Error(message),
      });
    }
  }
}

/** The header line names columns, which contain no delimiter, and its first delimiter is among its first bytes. */
const DETECTION_BYTES = 1024;

function delimiterIn(first: Uint8Array): string {
  const [header = ""] = new TextDecoder()
    .decode(first.subarray(0, DETECTION_BYTES))
    .trimStart()
    .split(/[\r\n]/, 1);
  return [";", "\t"].find((delimiter) => header.includes(delimiter)) ?? ",";
}

/** Quoted fields may run over several lines. */
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

// What is handed to the parser at a time: it reads all that it is given at once.
const PIECE = 1 << 16;
// The parser reads an unfinished row again with every piece: without a bound a row of megabytes would take minutes.
const MAX_ROW_LENGTH = 1 << 18;

class LongRow extends Error {
  constructor() {
    super(`a row is longer than ${MAX_ROW_LENGTH} characters, or a quote is not closed`);
  }
}

/** Hands the text of a source to the parser as fast as it takes it. */
class Feeder {
  /** Counted by the parser. */
  rowsParsed = 0;
  readonly #chunks: ChunkReader;
  readonly #sink: TextSink;
  #unfinished = 0;

  constructor(chunks: ChunkReader, sink: TextSink) {
    this.#chunks = chunks;
    this.#sink = sink;
  }

  /** Throws `LongRow`, and what the source throws. */
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
    // Where a row has ended in this piece, what is unfinished lies in it.
    const isRowDone = this.rowsParsed > rowsBefore;
    this.#unfinished = text.length + (isRowDone ? 0 : this.#unfinished);
    if (this.#unfinished > MAX_ROW_LENGTH) throw new LongRow();
  }
}

function columnIndices(names: string[], line: number): Map<Column, number> {
  const indices = new Map<Column, number>();
  for (const column of COLUMNS) {
    const index = names.indexOf(column);
    if (index >= 0) indices.set(column, index);
  }
  const missing = REQUIRED.filter((column) => !indices.has(column));
  if (missing.length > 0) {
    throw new AsiError(
      "BAD_CSV",
      `The header line lacks ${missing.join(", ")}; it names ${shortened(names.join(", "), MAX_QUOTE_LENGTH)}.`,
      { line },
    );
  }
  return indices;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const DECIMAL_OR_COMMA = /^-?\d+(?:[.,]\d+)?$/;

function rowOf(fields: string[], indices: Map<Column, number>, line: number, decimal: RegExp): EncodableRow {
  const text = (column: Column) => fields[indices.get(column) ?? -1] ?? "";
  const number = (column: Column): number => {
    const value = text(column);
    if (!decimal.test(value)) {
      throw new AsiError(
        "BAD_CSV",
        `Line ${line}: ${column} is ${shown(value)}; it must be a decimal number.`,
        { line },
      );
    }
    return Number(value.replace(",", "."));
  };
  const time = (): number => {
    const value = text("timestamp");
    if (decimal.test(value)) return Math.round(number("timestamp") * 1000);
    const ms = isoTimeMs(value);
    if (ms === null) {
      throw new AsiError(
        "BAD_CSV",
        `Line ${line}: timestamp is ${shown(value)}; it must be seconds since 1970, or a date and time with an offset, such as 2025-05-17T14:30:00.050Z.`,
        { line },
      );
    }
    return ms;
  };
  const optional = (column: Column) => (text(column) === "" ? null : number(column));
  return {
    timestamp: time(),
    latitude: number("latitude"),
    longitude: number("longitude"),
    altitude: optional("altitude"),
    speed: number("speed"),
    hr: optional("hr"),
  };
}
