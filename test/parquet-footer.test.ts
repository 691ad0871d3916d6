import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { expect, it } from "vitest";
import { ParquetWriter } from "../src/formats/parquet/parquet-writer.js";
import { rowTable } from "../src/formats/parquet/row-table.js";
import {
  encoded,
  i64,
  list,
  struct,
  type Thrift,
  type ThriftFields,
  text,
  thriftBytes,
} from "../src/formats/parquet/thrift.js";
import { joined } from "./frames.js";
import { batchOf } from "./sample-batches.js";

const LABELS = ["session", "athlete", "player", "device"];
const ROW = batchOf([
  {
    timestampMs: Date.UTC(2026, 4, 16, 13),
    latitudeE7: 469_629_000,
    longitudeE7: 74_648_000,
    altitudeMm: 551_200,
    speedMmPerS: 4100,
    hr: 150,
    fixType: 3,
  },
]);

const newWriter = () => new ParquetWriter(rowTable("double"), LABELS);

function* groups(writer: ReturnType<typeof newWriter>, count: number): Generator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    yield* writer.startGroup([`${i}`, `${i}`, `Player ${i}`, `TRK-${i}`]);
    yield* writer.rows(ROW, 0, 1);
  }
}

it("memory grows by less than 2 kB of heap for each row group of ten columns", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heapBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const writer = newWriter();
  const write = (count: number) => {
    for (const _ of groups(writer, count));
  };
  write(200);
  const before = heapBytes();
  write(2000);
  expect((heapBytes() - before) / 2000).toBeLessThan(2000);
  // the writer is still in use
  expect([...writer.end({})].length).toBeGreaterThan(0);
});

it("a piece of the footer contains at most one row group", () => {
  const writer = newWriter();
  const pieces = [...groups(writer, 300)].map((piece) => piece.slice());
  const footer = [...writer.end({ serial: "TRK-1" })].map((piece) => piece.slice());
  expect(Math.max(...footer.map(({ length }) => length))).toBeLessThan(1000);
  expect(Math.min(...footer.map(({ length }) => length))).toBeGreaterThan(0);
  const { row_groups, num_rows } = parquetMetadata(new Uint8Array(joined([...pieces, ...footer])).buffer);
  expect([row_groups.length, Number(num_rows)]).toEqual([300, 300]);
});

it("an encoded struct is written with the same bytes as the struct", () => {
  const { anyFields } = fc.letrec<{ anyFields: ThriftFields; anyValue: Thrift }>((tie) => ({
    anyFields: fc.dictionary(fc.integer({ min: 1, max: 40 }).map(String), tie("anyValue"), { maxKeys: 5 }),
    anyValue: fc.oneof(
      { maxDepth: 3 },
      fc.integer().map(i64),
      fc.string().map(text),
      tie("anyFields").map(struct),
      fc.array(tie("anyFields"), { maxLength: 20 }).map((all) => list("struct", all.map(struct))),
    ),
  }));
  /** The value with each struct of a field or list as bytes. */
  const withBytes = (value: Thrift): Thrift =>
    value.type === "struct"
      ? encoded(thriftBytes(value.fields))
      : value.type === "list"
        ? { ...value, values: value.values.map(withBytes) }
        : value;
  fc.assert(
    fc.property(anyFields, (fields) => {
      const some = Object.entries(fields).map(([id, value]) => [id, value && withBytes(value)]);
      expect(thriftBytes(Object.fromEntries(some))).toEqual(thriftBytes(fields));
    }),
  );
});
