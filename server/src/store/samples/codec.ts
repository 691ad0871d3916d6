import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { BUCKET_MS, bucketStartMs } from "./bucket.js";
import { allocateColumns, FIX_2D, FIX_3D, type SampleColumns } from "./columns.js";
import { SampleStoreError } from "./errors.js";
import { MAX_VARINT_BYTES, VarintReader, VarintWriter } from "./varint.js";

/*
 * A chunk, version 1:
 *
 *   u8   version
 *   u32  CRC-32 of the rest, little-endian
 *   u32  number of samples, little-endian
 *   body, deflated (RFC 1951)
 *
 * The columns of the body are: time within the bucket (ms), latitude, longitude, speed, bitmap of the samples with an altitude,
 * their altitudes, bitmap of the samples with a heart rate, their heart rates. Times and positions are stored as second
 * differences (a constant rate and a straight course give zeros), other columns as differences, all as zigzag varints. A
 * difference of heart rates is one byte, modulo 256. Differences wrap at 32 bits, so that all values can be restored.
 */

const VERSION = 1;
const CRC_OFFSET = 1;
const COUNT_OFFSET = 5;
const BODY_OFFSET = 9;

/** Level 1 takes two thirds of the time of level 6 and produces at most 2 % more bytes. */
const DEFLATE_LEVEL = 1;

const VARINT_COLUMNS = 5;

/**
 * Maximum number of samples of a chunk: 100 Hz. Loads, downloads and computations limit their work by numbers of chunks, and
 * the event loop decodes, merges and encodes a chunk in one piece.
 */
export const MAX_CHUNK_SAMPLES = 30_000;

/** Returns the maximum number of bytes in the body of `size` samples. */
function maxBodyBytes(size: number): number {
  return size * (VARINT_COLUMNS * MAX_VARINT_BYTES + 1) + 2 * bitmapBytes(size);
}

/** Returns the minimum number of bytes in the body of `size` samples. */
function minBodyBytes(size: number): number {
  return size * (VARINT_COLUMNS - 1) + 2 * bitmapBytes(size);
}

/**
 * Returns a number of bytes that is enough for the body of most chunks of `size` samples, so that one piece of memory suffices
 * instead of pieces of 16 KiB.
 */
function usualBodyBytes(size: number): number {
  return Math.max(constants.Z_MIN_CHUNK, 7 * size);
}

function bitmapBytes(size: number): number {
  return (size + 7) >>> 3;
}

/**
 * Encodes a chunk.
 *
 * @param columns at least one sample, times strictly ascending, all of them in `bucket` (trusted)
 * @param bucket number of the 5-minute bucket
 * @throws SampleStoreError `TOO_DENSE` for more than `MAX_CHUNK_SAMPLES`
 */
export function encodeChunk(columns: SampleColumns, bucket: number): Uint8Array {
  const size = columns.length;
  requireRoomInChunk(bucket, size);
  const writer = new VarintWriter(maxBodyBytes(size));
  writeTimes(writer, columns.timestampMs, size, bucketStartMs(bucket));
  writeCourse(writer, columns.latitudeE7, size);
  writeCourse(writer, columns.longitudeE7, size);
  writeDifferences(writer, columns.speedMmPerS, size);
  writeAltitudes(writer, columns, size);
  writeHeartRates(writer, columns.hr, size);

  const body = deflateRawSync(writer.bytes.subarray(0, writer.position), { level: DEFLATE_LEVEL });
  const chunk = Buffer.allocUnsafe(BODY_OFFSET + body.length);
  chunk.writeUInt8(VERSION, 0);
  chunk.writeUInt32LE(size, COUNT_OFFSET);
  chunk.set(body, BODY_OFFSET);
  chunk.writeUInt32LE(crc32(chunk.subarray(COUNT_OFFSET)), CRC_OFFSET);
  return chunk;
}

/**
 * Decodes a chunk into samples with strictly ascending times.
 *
 * @param bytes output of `encodeChunk`, which is checked completely
 * @param bucket number of the 5-minute bucket
 * @param room columns of zeros for the samples; not used unless they have exactly as many entries as the chunk has samples
 * @throws SampleStoreError `CORRUPT_CHUNK` for all other bytes
 */
export function decodeChunk(bytes: Uint8Array, bucket: number, room?: SampleColumns): SampleColumns {
  const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (chunk.length <= BODY_OFFSET) throw corrupt(bucket, `only ${chunk.length} bytes`);
  const version = chunk.readUInt8(0);
  if (version !== VERSION) throw corrupt(bucket, `version ${version}, and this program reads ${VERSION}`);
  if (crc32(chunk.subarray(COUNT_OFFSET)) !== chunk.readUInt32LE(CRC_OFFSET))
    throw corrupt(bucket, "its checksum is wrong");
  const size = chunk.readUInt32LE(COUNT_OFFSET);
  // A restored backup may have more samples than `encodeChunk` accepts: up to 1 kHz.
  if (size < 1 || size > BUCKET_MS) throw corrupt(bucket, `${size} samples`);
  try {
    const body = inflateRawSync(chunk.subarray(BODY_OFFSET), {
      chunkSize: usualBodyBytes(size),
      maxOutputLength: maxBodyBytes(size),
    });
    if (body.length < minBodyBytes(size)) throw new RangeError("body too short for its samples");
    const columns = room?.length === size ? room : allocateColumns(size);
    readBody(new VarintReader(body), columns, bucketStartMs(bucket));
    return columns;
  } catch (cause) {
    throw corrupt(bucket, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/**
 * @param size number of samples so far; the load may have more in the same bucket
 * @throws SampleStoreError `TOO_DENSE` for more than `MAX_CHUNK_SAMPLES`
 */
export function requireRoomInChunk(bucket: number, size: number): void {
  if (size <= MAX_CHUNK_SAMPLES) return;
  const from = new Date(bucketStartMs(bucket)).toISOString();
  throw new SampleStoreError(
    "TOO_DENSE",
    `The five minutes from ${from} would have at least ${size} samples of this device, including those of former owners, and at most ${MAX_CHUNK_SAMPLES} can be stored (100 Hz). Load the samples of this time at a lower rate, or leave them out.`,
    { bucket },
  );
}

function corrupt(bucket: number, why: string, cause?: unknown): SampleStoreError {
  return new SampleStoreError(
    "CORRUPT_CHUNK",
    `Chunk of bucket ${bucket} cannot be read: ${why}. Restore it from a backup.`,
    { bucket, cause },
  );
}

function readBody(reader: VarintReader, columns: SampleColumns, startMs: number): void {
  const size = columns.length;
  readTimes(reader, columns.timestampMs, startMs);
  readCourse(reader, columns.latitudeE7);
  readCourse(reader, columns.longitudeE7);
  readDifferences(reader, columns.speedMmPerS);
  readAltitudes(reader, columns, size);
  readHeartRates(reader, columns.hr, size);
}

function writeTimes(writer: VarintWriter, timestampMs: Float64Array, size: number, startMs: number): void {
  let offset = 0;
  let step = 0;
  for (let i = 0; i < size; i++) {
    const nextOffset = (timestampMs[i] ?? 0) - startMs;
    const nextStep = nextOffset - offset;
    writer.writeInt32(nextStep - step);
    // The first value is a position instead of a difference, so the second difference would be large.
    step = i === 0 ? 0 : nextStep;
    offset = nextOffset;
  }
}

function readTimes(reader: VarintReader, timestampMs: Float64Array, startMs: number): void {
  let offset = 0;
  let step = 0;
  for (let i = 0; i < timestampMs.length; i++) {
    step += reader.readInt32();
    offset += step;
    if (offset < 0 || offset >= BUCKET_MS || (i > 0 && step < 1))
      throw new RangeError("times out of order or outside the bucket");
    timestampMs[i] = startMs + offset;
    if (i === 0) step = 0;
  }
}

function writeCourse(writer: VarintWriter, values: Int32Array, size: number): void {
  let value = 0;
  let step = 0;
  for (let i = 0; i < size; i++) {
    const nextValue = values[i] ?? 0;
    const nextStep = (nextValue - value) | 0;
    writer.writeInt32((nextStep - step) | 0);
    step = i === 0 ? 0 : nextStep;
    value = nextValue;
  }
}

function readCourse(reader: VarintReader, values: Int32Array): void {
  let value = 0;
  let step = 0;
  for (let i = 0; i < values.length; i++) {
    step = (step + reader.readInt32()) | 0;
    value = (value + step) | 0;
    values[i] = value;
    if (i === 0) step = 0;
  }
}

function writeDifferences(writer: VarintWriter, values: Int32Array, size: number): void {
  let value = 0;
  for (let i = 0; i < size; i++) {
    const next = values[i] ?? 0;
    writer.writeInt32((next - value) | 0);
    value = next;
  }
}

function readDifferences(reader: VarintReader, values: Int32Array): void {
  let value = 0;
  for (let i = 0; i < values.length; i++) {
    value = (value + reader.readInt32()) | 0;
    values[i] = value;
  }
}

function writeAltitudes(writer: VarintWriter, columns: SampleColumns, size: number): void {
  const present = writer.reserve(bitmapBytes(size));
  let value = 0;
  for (let i = 0; i < size; i++) {
    if (columns.fixType[i] === FIX_2D) continue;
    setBit(present, i);
    const next = columns.altitudeMm[i] ?? 0;
    writer.writeInt32((next - value) | 0);
    value = next;
  }
}

function readAltitudes(reader: VarintReader, columns: SampleColumns, size: number): void {
  const present = takeBitmap(reader, size);
  let value = 0;
  for (let i = 0; i < size; i++) {
    if (!hasBit(present, i)) {
      columns.fixType[i] = FIX_2D;
      continue;
    }
    value = (value + reader.readInt32()) | 0;
    columns.altitudeMm[i] = value;
    columns.fixType[i] = FIX_3D;
  }
}

function writeHeartRates(writer: VarintWriter, hr: Uint8Array, size: number): void {
  const present = writer.reserve(bitmapBytes(size));
  const start = writer.position;
  let at = start;
  let value = 0;
  for (let i = 0; i < size; i++) {
    const next = hr[i] ?? 0;
    if (next === 0) continue;
    setBit(present, i);
    writer.bytes[at++] = next - value;
    value = next;
  }
  writer.position = at;
}

/** Reads the last column, which consists of all remaining bytes. */
function readHeartRates(reader: VarintReader, hr: Uint8Array, size: number): void {
  const present = takeBitmap(reader, size);
  const differences = reader.take(reader.bytes.length - reader.position);
  let at = 0;
  let value = 0;
  for (let i = 0; i < size; i++) {
    if (!hasBit(present, i)) continue;
    const difference = differences[at++];
    if (difference === undefined) throw new RangeError("heart rates past the end");
    value = (value + difference) & 0xff;
    if (value === 0) throw new RangeError("a heart rate of 0");
    hr[i] = value;
  }
  if (at !== differences.length) throw new RangeError("bytes after the last column");
}

function setBit(bitmap: Uint8Array, index: number): void {
  bitmap[index >>> 3] = (bitmap[index >>> 3] ?? 0) | (1 << (index & 7));
}

function hasBit(bitmap: Uint8Array, index: number): boolean {
  return ((bitmap[index >>> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

function takeBitmap(reader: VarintReader, size: number): Uint8Array {
  const bitmap = reader.take(bitmapBytes(size));
  const unused = bitmap.length * 8 - size;
  if ((bitmap[bitmap.length - 1] ?? 0) >>> (8 - unused) !== 0)
    throw new RangeError("bits after the last sample");
  return bitmap;
}
