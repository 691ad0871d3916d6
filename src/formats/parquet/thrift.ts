// Writes the part of the Apache Thrift compact protocol (thrift/doc/specs/thrift-compact-protocol.md) that Parquet metadata
// needs.

import { concatenate } from "../../sources/concatenate.js";

const TYPES = { i8: 3, i16: 4, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;
const TRUE = 1;
const FALSE = 2;
// list sizes and field id deltas that fit into half a byte
const MAX_SHORT_LIST = 14;
const MAX_SHORT_DELTA = 15;

/** A value with its type. */
export type Thrift =
  | { type: "bool"; value: boolean }
  | { type: "i8" | "i16" | "i32" | "i64"; value: number }
  | { type: "binary"; value: Uint8Array }
  | { type: "list"; of: keyof typeof TYPES; values: readonly Thrift[] }
  | { type: "struct"; fields: ThriftFields }
  /** The bytes of a struct, from `thriftBytes`. */
  | { type: "encoded"; bytes: Uint8Array };

/** Fields by their ids, in ascending order; undefined fields are omitted. */
export type ThriftFields = Readonly<Record<number, Thrift | undefined>>;

export const bool = (value: boolean): Thrift => ({ type: "bool", value });
export const i8 = (value: number): Thrift => ({ type: "i8", value });
export const i16 = (value: number): Thrift => ({ type: "i16", value });
export const i32 = (value: number): Thrift => ({ type: "i32", value });
export const i64 = (value: number): Thrift => ({ type: "i64", value });
export const binary = (value: Uint8Array): Thrift => ({ type: "binary", value });
export const text = (value: string): Thrift => binary(new TextEncoder().encode(value));
export const list = (of: keyof typeof TYPES, values: readonly Thrift[]): Thrift => ({
  type: "list",
  of,
  values,
});
export const struct = (fields: ThriftFields): Thrift => ({ type: "struct", fields });
export const encoded = (bytes: Uint8Array): Thrift => ({ type: "encoded", bytes });

/** Encodes a struct. */
export function thriftBytes(fields: ThriftFields): Uint8Array {
  return concatenate([...thriftPieces(fields)]);
}

/** Encodes a struct in pieces. Each struct in it that is already encoded becomes a separate piece, without being copied. */
export function* thriftPieces(fields: ThriftFields): Generator<Uint8Array, void, undefined> {
  const bytes: number[] = [];
  for (const encoded of writeFields(bytes, fields)) {
    if (bytes.length > 0) yield Uint8Array.from(bytes);
    bytes.length = 0;
    yield encoded;
  }
  yield Uint8Array.from(bytes);
}

/** Structs that are already encoded. Each one belongs after the bytes written so far. */
type EncodedStructs = Generator<Uint8Array, void, undefined>;

function* writeFields(bytes: number[], fields: ThriftFields): EncodedStructs {
  let last = 0;
  for (const [key, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    const number = Number(key);
    const step = number - last;
    const code = typeCode(field);
    if (step <= MAX_SHORT_DELTA) bytes.push((step << 4) | code);
    else {
      bytes.push(code);
      writeSigned(bytes, number);
    }
    // the type of a boolean field contains its value
    if (field.type !== "bool") yield* writeValue(bytes, field);
    last = number;
  }
  bytes.push(0);
}

function typeCode(value: Thrift): number {
  if (value.type === "bool") return value.value ? TRUE : FALSE;
  return TYPES[value.type === "encoded" ? "struct" : value.type];
}

function* writeValue(bytes: number[], value: Thrift): EncodedStructs {
  switch (value.type) {
    case "bool":
      bytes.push(value.value ? TRUE : FALSE);
      break;
    case "i8":
      bytes.push(value.value & 0xff);
      break;
    case "i16":
    case "i32":
    case "i64":
      writeSigned(bytes, value.value);
      break;
    case "binary":
      writeVarint(bytes, value.value.length);
      for (const byte of value.value) bytes.push(byte);
      break;
    case "list": {
      const { values } = value;
      const isShort = values.length <= MAX_SHORT_LIST;
      bytes.push(((isShort ? values.length : 0xf) << 4) | TYPES[value.of]);
      if (!isShort) writeVarint(bytes, values.length);
      for (const element of values) yield* writeValue(bytes, element);
      break;
    }
    case "struct":
      yield* writeFields(bytes, value.fields);
      break;
    case "encoded":
      yield value.bytes;
      break;
  }
}

/** Writes an integer from 0 to 2^53 in groups of seven bits, lowest group first (ULEB128). */
export function writeVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

/** Writes a signed integer with zigzag encoding: 0, -1, 1, -2 become 0, 1, 2, 3. */
export function writeSigned(bytes: number[], value: number): void {
  writeVarint(bytes, value < 0 ? -2 * value - 1 : 2 * value);
}
