import type { SampleBatch } from "../../types.js";
import type { ParquetNumbers } from "../format.js";
import { bool, i8, i32, list, struct, type Thrift, type ThriftFields, text } from "./thrift.js";

// The columns of a file. The numbers of types, encodings and fields come from apache/parquet-format, parquet.thrift.

export const PHYSICAL_TYPES = { INT32: 1, INT64: 2, DOUBLE: 5 } as const;
export type PhysicalType = keyof typeof PHYSICAL_TYPES;
export const ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5 } as const;
export const CODECS = { UNCOMPRESSED: 0, SNAPPY: 1 } as const;

const REQUIRED = 0;
const OPTIONAL = 1;
const CONVERTED = { DECIMAL: 5, TIMESTAMP_MILLIS: 9, UINT_8: 11 } as const;

/** Where the integers of a column come from, and which rows have none. */
export interface ColumnSource {
  integers(rows: SampleBatch): Int32Array | Float64Array | Uint8Array;
  /** A row has no value where `marks` equals `mark`. Omitted for required columns. */
  missing?: { marks(rows: SampleBatch): Uint8Array; mark: number };
}

export interface Column {
  name: string;
  type: PhysicalType;
  source: ColumnSource;
  encoding: "PLAIN" | "DELTA_BINARY_PACKED";
  codec: keyof typeof CODECS;
  /** Doubles are the integers divided by this. */
  divisor: number;
  /** The fields of the `SchemaElement` that describe the logical type. */
  meaning: ThriftFields;
}

const SOURCES = {
  timestamp: { integers: (rows) => rows.timestampMs },
  latitude: { integers: (rows) => rows.latitudeE7 },
  longitude: { integers: (rows) => rows.longitudeE7 },
  altitude: { integers: (rows) => rows.altitudeMm, missing: { marks: (rows) => rows.fixType, mark: 2 } },
  speed: { integers: (rows) => rows.speedMmPerS },
  hr: { integers: (rows) => rows.hr, missing: { marks: (rows) => rows.hr, mark: 0 } },
} as const satisfies Record<string, ColumnSource>;

const DEGREE_DIGITS = 7;
const METRE_DIGITS = 3;

/** Fields of a `SchemaElement`: 6 converted type, 7 scale, 8 precision, 10 logical type. */
const UTC_MILLISECONDS: ThriftFields = {
  6: i32(CONVERTED.TIMESTAMP_MILLIS),
  10: struct({ 8: struct({ 1: bool(true), 2: struct({ 1: struct({}) }) }) }),
};
const UINT8: ThriftFields = {
  6: i32(CONVERTED.UINT_8),
  10: struct({ 10: struct({ 1: i8(8), 2: bool(false) }) }),
};

function decimal(precision: number, scale: number): ThriftFields {
  return {
    6: i32(CONVERTED.DECIMAL),
    7: i32(scale),
    8: i32(precision),
    10: struct({ 5: struct({ 1: i32(scale), 2: i32(precision) }) }),
  };
}

/** The columns, in the order of the CSV's. */
export function columnsOf(numbers: ParquetNumbers): Column[] {
  const { timestamp, latitude, longitude, altitude, speed, hr } = SOURCES;
  const isDecimal = numbers === "decimal";
  // Snappy cannot compress delta-encoded values any further
  const whole = isDecimal
    ? ({ encoding: "DELTA_BINARY_PACKED", codec: "UNCOMPRESSED", divisor: 1 } as const)
    : ({ encoding: "PLAIN", codec: "SNAPPY", divisor: 1 } as const);
  const fraction = (name: string, source: ColumnSource, wholeDigits: number, digits: number): Column => {
    if (!isDecimal) return { ...whole, name, source, type: "DOUBLE", divisor: 10 ** digits, meaning: {} };
    const precision = wholeDigits + digits;
    // nine decimal digits fit into 32 bits
    return {
      ...whole,
      name,
      source,
      type: precision > 9 ? "INT64" : "INT32",
      meaning: decimal(precision, digits),
    };
  };
  return [
    { ...whole, name: "timestamp", source: timestamp, type: "INT64", meaning: UTC_MILLISECONDS },
    fraction("latitude", latitude, 2, DEGREE_DIGITS),
    fraction("longitude", longitude, 3, DEGREE_DIGITS),
    // up to 2,147,483 m and m/s
    fraction("altitude", altitude, 7, METRE_DIGITS),
    fraction("speed", speed, 7, METRE_DIGITS),
    { ...whole, name: "hr", source: hr, type: "INT32", codec: "SNAPPY", meaning: UINT8 },
  ];
}

/** The list of `SchemaElement`s: the root, then the columns. */
export function schemaOf(columns: readonly Column[]): Thrift {
  const root = struct({ 4: text("schema"), 5: i32(columns.length) });
  const elements = columns.map(({ name, type, source, meaning }) =>
    struct({
      1: i32(PHYSICAL_TYPES[type]),
      3: i32(source.missing === undefined ? REQUIRED : OPTIONAL),
      4: text(name),
      ...meaning,
    }),
  );
  return list("struct", [root, ...elements]);
}
