import { copyRows, newBatch } from "../../sample-batch.js";
import type { SampleBatch } from "../../types.js";
import { columnChunk } from "./column-chunk.js";
import { type Column, columnsOf, type ParquetNumbers, schemaOf } from "./schema.js";
import { SnappyCompressor } from "./snappy.js";
import { i16, i32, i64, list, struct, type Thrift, text, thriftBytes } from "./thrift.js";

/** What DuckDB makes, too: large enough to read fast, small enough to share out among threads. */
export const ROW_GROUP_ROWS = 122_880;

// Begins and ends a file.
const MAGIC = new TextEncoder().encode("PAR1");
const FORMAT_VERSION = 2;
const CREATED_BY = "asi-convert";

/**
 * Writes rows as a Parquet file. Give it all rows, then `end` it; what comes out is the caller's own memory. Holds the rows of one
 * row group.
 */
export class ParquetWriter {
  readonly #columns: readonly Column[];
  readonly #snappy = new SnappyCompressor();
  /** The rows of the row group that is being filled: the first `#filled` of it. */
  readonly #group = newBatch(ROW_GROUP_ROWS);
  #filled = 0;
  #rows = 0;
  #offset = 0;
  #isBegun = false;
  readonly #rowGroups: Thrift[] = [];

  /** @param numbers coordinates, altitudes and speeds as doubles, or exact as decimals, in a sixth of the bytes */
  constructor(numbers: ParquetNumbers) {
    this.#columns = columnsOf(numbers);
  }

  /**
   * @param from the first row of the batch that is written
   * @param to behind the last one
   * @returns the row groups that are full; often nothing
   */
  rows(batch: SampleBatch, from: number, to: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let at = from; at < to; ) {
      const count = Math.min(ROW_GROUP_ROWS - this.#filled, to - at);
      copyRows(batch, at, at + count, this.#group, this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === ROW_GROUP_ROWS) this.#flush(pieces);
    }
    return pieces;
  }

  /**
   * Ends the file.
   *
   * @param metadata texts by their keys, for who wants to know where the rows come from
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
    for (const column of this.#columns) {
      const chunk = columnChunk(column, rows, this.#snappy);
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
        // 16 bits; it is there for encrypted files
        7: this.#rowGroups.length < 2 ** 15 ? i16(this.#rowGroups.length) : undefined,
      }),
    );
    this.#rows += this.#filled;
    this.#filled = 0;
  }

  /** `FileMetaData`. */
  #footer(metadata: Readonly<Record<string, string>>): Uint8Array {
    const pairs = Object.entries(metadata).map(([key, value]) => struct({ 1: text(key), 2: text(value) }));
    // bounds in statistics are in the order of the types
    const typeDefinedOrder = struct({ 1: struct({}) });
    return thriftBytes({
      1: i32(FORMAT_VERSION),
      2: schemaOf(this.#columns),
      3: i64(this.#rows),
      4: list("struct", this.#rowGroups),
      5: pairs.length === 0 ? undefined : list("struct", pairs),
      6: text(CREATED_BY),
      7: list(
        "struct",
        this.#columns.map(() => typeDefinedOrder),
      ),
    });
  }
}
