import { concatenate } from "../../sources/concatenate.js";
import type { ColumnChunk } from "./column-chunk.js";
import { CODECS, ENCODINGS, PHYSICAL_TYPES } from "./schema.js";
import { binary, i32, i64, list, struct, text, thriftBytes, writeVarint } from "./thrift.js";

// PageType of parquet.thrift
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;

/**
 * Encodes a column of a row group whose rows all have the same text: a dictionary with one entry, and one run
 * (apache/parquet-format, Encodings.md, "Dictionary Encoding").
 */
export function labelChunk(name: string, label: string, rows: number): ColumnChunk {
  const value = new TextEncoder().encode(label);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, value.length, true);
  const entry = concatenate([length, value]);
  const dictionary = concatenate([
    thriftBytes({
      1: i32(DICTIONARY_PAGE),
      2: i32(entry.length),
      3: i32(entry.length),
      7: struct({ 1: i32(1), 2: i32(ENCODINGS.PLAIN) }),
    }),
    entry,
  ]);
  // indices of one bit: a run of zeros
  const run = [1];
  writeVarint(run, rows * 2);
  run.push(0);
  const header = thriftBytes({
    1: i32(DATA_PAGE),
    2: i32(run.length),
    3: i32(run.length),
    5: struct({
      1: i32(rows),
      2: i32(ENCODINGS.RLE_DICTIONARY),
      3: i32(ENCODINGS.RLE),
      4: i32(ENCODINGS.RLE),
    }),
  });
  const bytes = concatenate([dictionary, header, Uint8Array.from(run)]);
  return {
    pieces: [bytes],
    bytes: bytes.length,
    uncompressedBytes: bytes.length,
    metadata: (offset) =>
      struct({
        2: i64(0),
        3: struct({
          1: i32(PHYSICAL_TYPES.BYTE_ARRAY),
          2: list("i32", [i32(ENCODINGS.PLAIN), i32(ENCODINGS.RLE), i32(ENCODINGS.RLE_DICTIONARY)]),
          3: list("binary", [text(name)]),
          4: i32(CODECS.UNCOMPRESSED),
          5: i64(rows),
          6: i64(bytes.length),
          7: i64(bytes.length),
          9: i64(offset + dictionary.length),
          11: i64(offset),
          // with these statistics, readers can skip groups with other texts
          12: struct({ 3: i64(0), 5: binary(value), 6: binary(value) }),
        }),
      }),
  };
}
