import { type ColumnChunk, columnChunk } from "./column-chunk.js";
import { ReusedMemory } from "./column-values.js";
import { labelChunk } from "./label-chunk.js";
import { type Rows, schemaElements, type Table } from "./schema.js";
import { SnappyCompressor } from "./snappy.js";
import {
  encoded,
  i16,
  i32,
  i64,
  list,
  struct,
  type Thrift,
  text,
  thriftBytes,
  thriftPieces,
} from "./thrift.js";

/** The default of DuckDB. It is large enough for fast reading, and small enough for several threads. */
export const ROW_GROUP_ROWS = 122_880;

// the first and last bytes of a file
const MAGIC = new TextEncoder().encode("PAR1");
const FORMAT_VERSION = 2;
const CREATED_BY = "asi-convert";

/**
 * Writes rows as a Parquet file. Call `rows` for all rows, then `end`. The writer buffers the rows of one row group, one of its
 * encoded columns, and the footer entry of each row group, which takes about 60 bytes for each column. A piece is valid until the
 * next one is requested. Read all pieces from one call before the next call.
 */
export class ParquetWriter<B extends Rows> {
  readonly #table: Table<B>;
  readonly #encoding = { snappy: new SnappyCompressor(), memory: new ReusedMemory() };
  /** The rows of the current row group: the first `#filled` rows of this batch. */
  readonly #group: B;
  #filled = 0;
  #rows = 0;
  #offset = 0;
  #isBegun = false;
  /** Each `RowGroup` of the footer as bytes, because objects would take thirty times as much memory. */
  readonly #rowGroups: Uint8Array[] = [];
  readonly #labelNames: readonly string[];
  #labels: readonly string[] = [];

  /** @param labelNames names of text columns that precede those of the table; `startGroup` sets their values */
  constructor(table: Table<B>, labelNames: readonly string[] = []) {
    this.#table = table;
    this.#labelNames = labelNames;
    this.#group = table.newRows(ROW_GROUP_ROWS);
  }

  /**
   * Writes rows of a batch.
   *
   * @param from the first row of the batch to write
   * @param to the end of the rows, exclusive
   * @returns the completed row groups, usually none
   */
  *rows(batch: B, from: number, to: number): Generator<Uint8Array, void, undefined> {
    for (let at = from; at < to; ) {
      const count = Math.min(ROW_GROUP_ROWS - this.#filled, to - at);
      this.#table.copy(batch, at, at + count, this.#group, this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === ROW_GROUP_ROWS) yield* this.#flush();
    }
  }

  /**
   * Sets the texts of the following rows.
   *
   * @param labels a text for each name
   * @returns the completed row group, because all rows of a group have the same texts
   */
  *startGroup(labels: readonly string[]): Generator<Uint8Array, void, undefined> {
    if (this.#filled > 0) yield* this.#flush();
    this.#labels = labels;
  }

  /**
   * Ends the file.
   *
   * @param metadata key-value metadata that describes the origin of the rows; `schema` is added
   */
  *end(metadata: Readonly<Record<string, string>>): Generator<Uint8Array, void, undefined> {
    if (this.#filled > 0) yield* this.#flush();
    yield* this.#begin();
    let footerBytes = 0;
    for (const piece of this.#footer(metadata)) {
      footerBytes += piece.length;
      yield piece;
    }
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, footerBytes, true);
    yield* [length, MAGIC.slice()];
  }

  *#begin(): Generator<Uint8Array, void, undefined> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#offset = MAGIC.length;
    yield MAGIC.slice();
  }

  *#flush(): Generator<Uint8Array, void, undefined> {
    yield* this.#begin();
    const rows = { ...this.#group, length: this.#filled };
    const begin = this.#offset;
    let uncompressedBytes = 0;
    const chunks: Thrift[] = [];
    for (const chunk of this.#chunks(rows)) {
      chunks.push(chunk.metadata(this.#offset));
      this.#offset += chunk.bytes;
      uncompressedBytes += chunk.uncompressedBytes;
      yield* chunk.pieces;
    }
    this.#rowGroups.push(
      thriftBytes({
        1: list("struct", chunks),
        2: i64(uncompressedBytes),
        3: i64(this.#filled),
        5: i64(begin),
        6: i64(this.#offset - begin),
        // the ordinal has 16 bits, and only encrypted files need it
        7: this.#rowGroups.length < 2 ** 15 ? i16(this.#rowGroups.length) : undefined,
      }),
    );
    this.#rows += this.#filled;
    this.#filled = 0;
  }

  /** Encodes one column at a time, because the columns share memory. */
  *#chunks(rows: B): Generator<ColumnChunk, void, undefined> {
    for (const [i, name] of this.#labelNames.entries())
      yield labelChunk(name, this.#labels[i] ?? "", rows.length);
    for (const column of this.#table.columns) yield columnChunk(column, rows, this.#encoding);
  }

  /** Returns the `FileMetaData` in pieces. */
  #footer(metadata: Readonly<Record<string, string>>): Iterable<Uint8Array> {
    const pairs = Object.entries({ schema: this.#table.schema, ...metadata }).map(([key, value]) =>
      struct({ 1: text(key), 2: text(value) }),
    );
    // the minimum and maximum in statistics use the order of the type
    const typeDefinedOrder = struct({ 1: struct({}) });
    return thriftPieces({
      1: i32(FORMAT_VERSION),
      2: list("struct", schemaElements(this.#table.columns, this.#labelNames)),
      3: i64(this.#rows),
      4: list("struct", this.#rowGroups.map(encoded)),
      5: list("struct", pairs),
      6: text(CREATED_BY),
      7: list(
        "struct",
        [...this.#labelNames, ...this.#table.columns].map(() => typeDefinedOrder),
      ),
    });
  }
}
