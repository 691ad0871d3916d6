import {
  boundBytes,
  extremesOf,
  levelBytes,
  type Present,
  pageBytes,
  presentOf,
  type ReusedMemory,
} from "./column-values.js";
import { CODECS, type Column, ENCODINGS, PHYSICAL_TYPES, type Rows, type Storage } from "./schema.js";
import type { SnappyCompressor } from "./snappy.js";
import { binary, i32, i64, list, struct, type Thrift, text, thriftBytes } from "./thrift.js";

/** A column of a row group: one page, and its metadata for the footer. */
export interface ColumnChunk {
  /** Page header and page data, in pieces. */
  pieces: readonly Uint8Array[];
  /** The size of `pieces`. */
  bytes: number;
  /** The size without compression. */
  uncompressedBytes: number;
  /** Returns the `ColumnChunk` for the footer, if the page starts at `offset` in the file. */
  metadata(offset: number): Thrift;
}

const DATA_PAGE = 0;

/** Encodes a column. Its pieces are valid until the next call with the same memory. */
export function columnChunk<B extends Rows>(
  column: Column<B>,
  rows: B,
  { snappy, memory }: { snappy: SnappyCompressor; memory: ReusedMemory },
): ColumnChunk {
  const present = presentOf(column.source, rows);
  const page = pageBytes(column, levelBytes(present, rows.length), present, memory);
  const stored = column.codec === "SNAPPY" ? snappy.compress(page) : page;
  const header = thriftBytes({
    1: i32(DATA_PAGE),
    2: i32(page.length),
    3: i32(stored.length),
    5: struct({
      1: i32(rows.length),
      2: i32(ENCODINGS[column.encoding]),
      3: i32(ENCODINGS.RLE),
      4: i32(ENCODINGS.RLE),
    }),
  });
  const bytes = header.length + stored.length;
  const uncompressedBytes = header.length + page.length;
  const statistics = statisticsOf(column, present, rows.length);
  return {
    pieces: [header, stored],
    bytes,
    uncompressedBytes,
    metadata: (offset) =>
      struct({
        // file_offset is deprecated, and there is no copy of the metadata outside the footer
        2: i64(0),
        3: struct({
          1: i32(PHYSICAL_TYPES[column.type]),
          2: list("i32", [i32(ENCODINGS[column.encoding]), i32(ENCODINGS.RLE)]),
          3: list("binary", [text(column.name)]),
          4: i32(CODECS[column.codec]),
          5: i64(rows.length),
          6: i64(uncompressedBytes),
          7: i64(bytes),
          9: i64(offset),
          12: statistics,
        }),
      }),
  };
}

/** Returns the `Statistics` of a column: 3 null_count, 5 max_value, 6 min_value. */
function statisticsOf(column: Storage, present: Present, rows: number): Thrift {
  const extremes = extremesOf(present);
  if (extremes === null) return struct({ 3: i64(rows - present.count) });
  const { least, greatest } = extremes;
  return struct({
    3: i64(rows - present.count),
    5: binary(boundBytes(column, greatest)),
    // a minimum of 0 must be written as -0 for doubles (parquet.thrift, ColumnOrder)
    6: binary(boundBytes(column, least === 0 && column.type === "DOUBLE" ? -0 : least)),
  });
}
