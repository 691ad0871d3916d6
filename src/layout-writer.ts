import { type CheckedLayout, COLUMNS } from "./csv-layout.js";

const COMMA = 0x2c;
const LINE_FEED = 0x0a;

// A comma becomes a delimiter of at most three bytes, a line feed a line end of at most two.
const MOST_GROWTH = 3;

/** Lines of a CSV, and where in them the rows of another range begin. */
interface CsvLines {
  bytes: Uint8Array;
  /** Offsets in `bytes`, ascending, each at the beginning of a line. */
  rangeBreaks: readonly number[];
}

/**
 * Writes lines of the standard CSV in another layout. The digits stay as they are, so the numbers are the same whatever the
 * layout; no field holds a delimiter, a quote or a line end, so none needs quotes.
 */
export class LayoutWriter {
  readonly #columns: readonly number[];
  readonly #delimiter: Uint8Array;
  readonly #lineEnd: Uint8Array;
  // where lines are put together: one for all calls, so that they leave less to collect
  #written = new Uint8Array(0);

  constructor(layout: CheckedLayout) {
    this.#columns = layout.columns.map((column) => COLUMNS.indexOf(column));
    this.#delimiter = utf8.encode(layout.delimiter);
    this.#lineEnd = utf8.encode(layout.lineEnd);
  }

  /** Writes whole lines. What it gives is in memory of its own. */
  write({ bytes, rangeBreaks }: CsvLines): CsvLines {
    const mostBytes = MOST_GROWTH * bytes.length;
    if (this.#written.length < mostBytes) this.#written = new Uint8Array(mostBytes);
    const written = this.#written;
    const newBreaks: number[] = [];
    const ends = new Int32Array(COLUMNS.length);
    let at = 0;
    for (let lineStart = 0; lineStart < bytes.length; ) {
      if (lineStart === rangeBreaks[newBreaks.length]) newBreaks.push(at);
      const lineEnd = findFieldEnds(bytes, lineStart, ends);
      for (let i = 0; i < this.#columns.length; i++) {
        if (i > 0) at = copy(this.#delimiter, 0, this.#delimiter.length, written, at);
        const column = this.#columns[i] as number;
        const start = column === 0 ? lineStart : (ends[column - 1] as number) + 1;
        at = copy(bytes, start, ends[column] as number, written, at);
      }
      at = copy(this.#lineEnd, 0, this.#lineEnd.length, written, at);
      lineStart = lineEnd + 1;
    }
    // `slice` would clear the memory first
    return { bytes: new Uint8Array(written.subarray(0, at)), rangeBreaks: newBreaks };
  }
}

const utf8 = new TextEncoder();

// Fills `ends` with the places behind the fields of a line; returns that of its line feed.
function findFieldEnds(bytes: Uint8Array, lineStart: number, ends: Int32Array): number {
  let field = 0;
  for (let i = lineStart; ; i++) {
    const byte = bytes[i];
    if (byte === COMMA) {
      ends[field] = i;
      field += 1;
    } else if (byte === LINE_FEED || byte === undefined) {
      ends[field] = i;
      return i;
    }
  }
}

// Byte by byte: for a few bytes `set` and `subarray` cost more. Returns the place behind the copy.
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  for (let i = start; i < end; i++) to[at + i - start] = from[i] as number;
  return at + end - start;
}
