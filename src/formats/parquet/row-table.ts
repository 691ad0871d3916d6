import { copyRows, newBatch } from "../../rows/sample-batch.js";
import type { SampleBatch } from "../../types.js";
import type { ParquetNumbers } from "../format.js";
import { type Column, type ColumnSource, decimal, type Table, UINT8, UTC_MILLISECONDS } from "./schema.js";

/**
 * Describes the rows of a recording as a table, with the columns of the CSV in the same order.
 *
 * @param numbers whether coordinates, altitudes and speeds are doubles or exact decimals, which take a sixth of the bytes
 */
export function rowTable(numbers: ParquetNumbers): Table<SampleBatch> {
  return { schema: "rows/1", columns: columnsOf(numbers), newRows: newBatch, copy: copyRows };
}

const SOURCES = {
  timestamp: { integers: (rows) => rows.timestampMs },
  latitude: { integers: (rows) => rows.latitudeE7 },
  longitude: { integers: (rows) => rows.longitudeE7 },
  altitude: { integers: (rows) => rows.altitudeMm, missing: { marks: (rows) => rows.fixType, mark: 2 } },
  speed: { integers: (rows) => rows.speedMmPerS },
  hr: { integers: (rows) => rows.hr, missing: { marks: (rows) => rows.hr, mark: 0 } },
} as const satisfies Record<string, ColumnSource<SampleBatch>>;

const DEGREE_DIGITS = 7;
const METRE_DIGITS = 3;

function columnsOf(numbers: ParquetNumbers): Column<SampleBatch>[] {
  const { timestamp, latitude, longitude, altitude, speed, hr } = SOURCES;
  const isDecimal = numbers === "decimal";
  // Snappy cannot compress delta-encoded values further
  const whole = isDecimal
    ? ({ encoding: "DELTA_BINARY_PACKED", codec: "UNCOMPRESSED", divisor: 1 } as const)
    : ({ encoding: "PLAIN", codec: "SNAPPY", divisor: 1 } as const);
  const fraction = (
    name: string,
    source: ColumnSource<SampleBatch>,
    wholeDigits: number,
    digits: number,
  ): Column<SampleBatch> => {
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
