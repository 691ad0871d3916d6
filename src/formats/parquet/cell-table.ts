import { concatenate } from "../../sources/concatenate.js";
import { levelBytes } from "./column-values.js";
import { ENCODINGS, STRING, UTC_MILLISECONDS } from "./schema.js";
import { i32, i64, list, struct, type Thrift, text, thriftBytes } from "./thrift.js";

// Writes small tables of text and numbers, such as the figures of a squad. For rows of recordings, parquet-writer.ts writes a
// stream.

/** A column in which a value may be missing. */
export type CellColumn =
  | { name: string; kind: "text"; values: readonly (string | null)[] }
  | { name: string; kind: "number"; values: readonly (number | null)[] }
  /** Whole ms since 1970 UTC. */
  | { name: string; kind: "instant"; values: readonly (number | null)[] };

// parquet.thrift: type numbers
const TYPES = { instant: 2, number: 5, text: 6 } as const;
const MEANINGS = { instant: UTC_MILLISECONDS, number: {}, text: STRING } as const;
const OPTIONAL = 1;
const DATA_PAGE = 0;
const UNCOMPRESSED = 0;
const MAGIC = new TextEncoder().encode("PAR1");

/**
 * Writes a Parquet file with one row group, without compression.
 *
 * @param schema name and version of the columns, such as `figures/1`
 * @param columns of equal length
 */
export function cellTable(schema: string, columns: readonly CellColumn[]): Uint8Array {
  const rows = columns[0]?.values.length ?? 0;
  const pieces: Uint8Array[] = [MAGIC];
  let offset = MAGIC.length;
  const chunks = columns.map((column) => {
    const page = concatenate([levelsOf(column), valuesOf(column)]);
    const header = thriftBytes({
      1: i32(DATA_PAGE),
      2: i32(page.length),
      3: i32(page.length),
      5: struct({ 1: i32(rows), 2: i32(ENCODINGS.PLAIN), 3: i32(ENCODINGS.RLE), 4: i32(ENCODINGS.RLE) }),
    });
    pieces.push(header, page);
    const bytes = header.length + page.length;
    const metadata = struct({
      2: i64(0),
      3: struct({
        1: i32(TYPES[column.kind]),
        2: list("i32", [i32(ENCODINGS.PLAIN), i32(ENCODINGS.RLE)]),
        3: list("binary", [text(column.name)]),
        4: i32(UNCOMPRESSED),
        5: i64(rows),
        6: i64(bytes),
        7: i64(bytes),
        9: i64(offset),
      }),
    });
    offset += bytes;
    return { metadata, bytes };
  });
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const group = struct({
    1: list(
      "struct",
      chunks.map(({ metadata }) => metadata),
    ),
    2: i64(bytes),
    3: i64(rows),
  });
  const footer = thriftBytes({
    1: i32(2),
    2: list("struct", schemaOf(columns)),
    3: i64(rows),
    4: list("struct", rows === 0 ? [] : [group]),
    5: list("struct", [struct({ 1: text("schema"), 2: text(schema) })]),
    6: text("asi-convert"),
  });
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, footer.length, true);
  return concatenate([...(rows === 0 ? [MAGIC] : pieces), footer, length, MAGIC]);
}

function schemaOf(columns: readonly CellColumn[]): Thrift[] {
  return [
    struct({ 4: text("schema"), 5: i32(columns.length) }),
    ...columns.map(({ name, kind }) =>
      struct({ 1: i32(TYPES[kind]), 3: i32(OPTIONAL), 4: text(name), ...MEANINGS[kind] }),
    ),
  ];
}

/** Returns the definition level of each row, which specifies whether the row has a value. */
function levelsOf({ values }: CellColumn): Uint8Array {
  const bits = new Uint8Array((values.length + 7) >> 3);
  let count = 0;
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
    count += 1;
  }
  return levelBytes({ integers: [], count, bits }, values.length);
}

function valuesOf(column: CellColumn): Uint8Array {
  if (column.kind === "text") {
    const encoder = new TextEncoder();
    return concatenate(
      column.values.flatMap((value) => {
        if (value === null) return [];
        const bytes = encoder.encode(value);
        const length = new Uint8Array(4);
        new DataView(length.buffer).setUint32(0, bytes.length, true);
        return [length, bytes];
      }),
    );
  }
  const present = column.values.filter((value) => value !== null);
  const view = new DataView(new ArrayBuffer(8 * present.length));
  for (const [i, value] of present.entries()) {
    if (column.kind === "number") view.setFloat64(8 * i, value, true);
    else view.setBigInt64(8 * i, BigInt(value), true);
  }
  return new Uint8Array(view.buffer);
}
