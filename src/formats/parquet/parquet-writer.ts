import { columnChunk } from "./column-chunk.js";
import { labelChunk } from "./label-chunk.js";
import { type Rows, schemaElements, type Table } from "./schema.js";
import { SnappyCompressor } from "./snappy.js";
import { i16, i32, i64, list, struct, type Thrift, text, thriftBytes } from "./thrift.js";

/** The default of DuckDB, which is large enough for fast reading and small enough for several threads. */
export const ROW_GROUP_ROWS = 122_880;

// the first and last bytes of a file
const MAGIC = new TextEncoder().encode("PAR1");
const FORMAT_VERSION = 2;
const CREATED_BY = "asi-convert";

/**
 * Writes rows as a Parquet file. Call `rows` for all rows, then `end`. The returned memory belongs to the caller. The writer
 * buffers the rows of one row group.
 */
export class ParquetWriter<B extends Rows> {
  readonly #table: Table<B>;
  readonly #snappy = new SnappyCompressor();
  /** The rows of the current row group: the first `#filled` rows of this batch. */
  readonly #group: B;
  #filled = 0;
  #rows = 0;
  #offset = 0;
  #isBegun = false;
  readonly #rowGroups: Thrift[] = [];
  readonly #labelNames: readonly string[];
  #labels: readonly string[] = [];

  /** @param labelNames names of text columns before those of the table; `startGroup` sets their values */
  constructor(table: Table<B>, labelNames: readonly string[] = []) {
    this.#table = table;
    this.#labelNames = labelNames;
    this.#group = table.newRows(ROW_GROUP_ROWS);
  }

  /**
   * @param from the first row of the batch to write
   * @param to the end of the rows, exclusive
   * @returns the completed row groups, usually none
   */
  rows(batch: B, from: number, to: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let at = from; at < to; ) {
      const count = Math.min(ROW_GROUP_ROWS - this.#filled, to - at);
      this.#table.copy(batch, at, at + count, this.#group, this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === ROW_GROUP_ROWS) this.#flush(pieces);
    }
    return pieces;
  }

  /**
   * Sets the texts of the following rows.
   *
   * @param labels a text for each name
   * @returns the completed row group, because all rows of a group have the same texts
   */
  startGroup(labels: readonly string[]): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    if (this.#filled > 0) this.#flush(pieces);
    this.#labels = labels;
    return pieces;
  }

  /**
   * Ends the file.
   *
   * @param metadata key-value metadata that describes the origin of the rows; `schema` is added
   */
  end(metadata: Readonly<Record<string, string>>): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    if (this.#filled > 0) this.#flush(pieces);
    this.#begin(pieces);
    const footer = this.#footer(metadata);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, footer.length, true);
    pieces.push(footer, length, MAGIC.slice());
    return pieces;
  }

  #begin(pieces: Uint8Array[]): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    pieces.push(MAGIC.slice());
    this.#offset = MAGIC.length;
  }

  #flush(pieces: Uint8Array[]): void {
    this.#begin(pieces);
    const rows = { ...this.#group, length: this.#filled };
    const begin = this.#offset;
    let uncompressedBytes = 0;
    const chunks: Thrift[] = [];
    for (const chunk of [
      ...this.#labelNames.map((name, i) => labelChunk(name, this.#labels[i] ?? "", rows.length)),
      ...this.#table.columns.map((column) => columnChunk(column, rows, this.#snappy)),
    ]) {
      chunks.push(chunk.metadata(this.#offset));
      pieces.push(chunk.bytes);
      this.#offset += chunk.bytes.length;
      uncompressedBytes += chunk.uncompressedBytes;
    }
    this.#rowGroups.push(
      struct({
        1: list("struct", chunks),
        2: i64(uncompressedBytes),
        3: i64(this.#filled),
        5: i64(begin),
        6: i64(this.#offset - begin),
        // the ordinal has 16 bits; only encrypted files need it
        7: this.#rowGroups.length < 2 ** 15 ? i16(this.#rowGroups.length) : undefined,
      }),
    );
    this.#rows += this.#filled;
    this.#filled = 0;
  }

  /** `FileMetaData`. */
  #footer(metadata: Readonly<Record<string, string>>): Uint8Array {
    const pairs = Object.entries({ schema: this.#table.schema, ...metadata }).map(([key, value]) =>
      struct({ 1: text(key), 2: text(value) }),
    );
    // minimum and maximum in statistics follow the order of the type
    const typeDefinedOrder = struct({ 1: struct({}) });
    return thriftBytes({
      1: i32(FORMAT_VERSION),
      2: list("struct", schemaElements(this.#table.columns, this.#labelNames)),
      3: i64(this.#rows),
      4: list("struct", this.#rowGroups),
      5: list("struct", pairs),
      6: text(CREATED_BY),
      7: list(
        "struct",
        [...this.#labelNames, ...this.#table.columns].map(() => typeDefinedOrder),
      ),
    });
  }
}
