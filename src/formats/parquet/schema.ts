import { bool, i8, i32, struct, type Thrift, type ThriftFields, text } from "./thrift.js";

// Describes tables and their columns. Type, encoding and field numbers come from apache/parquet-format, parquet.thrift.

export const PHYSICAL_TYPES = { INT32: 1, INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6 } as const;
/** The types of numbers. */
export type PhysicalType = Exclude<keyof typeof PHYSICAL_TYPES, "BYTE_ARRAY">;
export const ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8 } as const;
export const CODECS = { UNCOMPRESSED: 0, SNAPPY: 1 } as const;

const REQUIRED = 0;
const OPTIONAL = 1;
const CONVERTED = {
  UTF8: 0,
  DECIMAL: 5,
  TIMESTAMP_MILLIS: 9,
  TIMESTAMP_MICROS: 10,
  UINT_8: 11,
  INT_16: 16,
} as const;

/** Rows as columns; each column uses its first `length` entries. */
export interface Rows {
  readonly length: number;
}

/** The content of a file. */
export interface Table<B extends Rows> {
  /** Name and version of the columns, such as `rows/1`. docs/formats.md describes what a version guarantees. */
  readonly schema: string;
  readonly columns: readonly Column<B>[];
  newRows(length: number): B;
  /** Copies the rows from `from` to `to` (exclusive) to other rows, starting at the row `at`. */
  copy(rows: B, from: number, to: number, into: B, at: number): void;
}

/** The source of the integers and of the missing values of a column. */
export interface ColumnSource<B extends Rows> {
  integers(rows: B): Int32Array | Int16Array | Float64Array | Uint8Array;
  /** A row has no value if its entry in `marks` equals `mark`. Omitted for required columns. */
  missing?: { marks(rows: B): Uint8Array; mark: number };
}

/** The storage type of a column. */
export interface Storage {
  name: string;
  type: PhysicalType;
  encoding: "PLAIN" | "DELTA_BINARY_PACKED";
  codec: keyof typeof CODECS;
  /** A double is the integer divided by this. */
  divisor: number;
  /** Fields of the `SchemaElement` for the logical type. */
  meaning: ThriftFields;
}

export interface Column<B extends Rows> extends Storage {
  source: ColumnSource<B>;
}

/** Fields of a `SchemaElement`: 6 converted type, 7 scale, 8 precision, 10 logical type. */
export const STRING: ThriftFields = { 6: i32(CONVERTED.UTF8), 10: struct({ 1: struct({}) }) };
export const UTC_MILLISECONDS: ThriftFields = {
  6: i32(CONVERTED.TIMESTAMP_MILLIS),
  10: struct({ 8: struct({ 1: bool(true), 2: struct({ 1: struct({}) }) }) }),
};
export const UTC_MICROSECONDS: ThriftFields = {
  6: i32(CONVERTED.TIMESTAMP_MICROS),
  10: struct({ 8: struct({ 1: bool(true), 2: struct({ 2: struct({}) }) }) }),
};
export const UINT8: ThriftFields = {
  6: i32(CONVERTED.UINT_8),
  10: struct({ 10: struct({ 1: i8(8), 2: bool(false) }) }),
};
export const INT16: ThriftFields = {
  6: i32(CONVERTED.INT_16),
  10: struct({ 10: struct({ 1: i8(16), 2: bool(true) }) }),
};

export function decimal(precision: number, scale: number): ThriftFields {
  return {
    6: i32(CONVERTED.DECIMAL),
    7: i32(scale),
    8: i32(precision),
    10: struct({ 5: struct({ 1: i32(scale), 2: i32(precision) }) }),
  };
}

/** Returns the `SchemaElement`s: the root, the text columns, then the others. */
export function schemaElements(columns: readonly Column<never>[], labelNames: readonly string[]): Thrift[] {
  return [
    struct({ 4: text("schema"), 5: i32(labelNames.length + columns.length) }),
    ...labelNames.map((name) =>
      struct({ 1: i32(PHYSICAL_TYPES.BYTE_ARRAY), 3: i32(REQUIRED), 4: text(name), ...STRING }),
    ),
    ...columns.map(({ name, type, source, meaning }) =>
      struct({
        1: i32(PHYSICAL_TYPES[type]),
        3: i32(source.missing === undefined ? REQUIRED : OPTIONAL),
        4: text(name),
        ...meaning,
      }),
    ),
  ];
}
