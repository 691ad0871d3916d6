import { crc16 } from "../src/formats/fit/crc.js";
import { FitWriter } from "../src/formats/fit/fit-writer.js";
import { decodeTrack, findRanges, type SampleBatch, type TrackSummary } from "../src/index.js";
import { joinBatches } from "../src/rows/sample-batch.js";
import { ascii, joined } from "./frames.js";
import { all } from "./whole.js";

/** All rows of a track, and its summary. */
export async function readTrack(
  source: Parameters<typeof decodeTrack>[0],
): Promise<{ samples: SampleBatch; summary: TrackSummary }> {
  const track = decodeTrack(source);
  const samples = joinBatches(await all(track));
  return { samples, summary: await track.summary };
}

/** A batch as a FIT file, written by the library. */
export function ownFit(samples: SampleBatch): Uint8Array {
  const ranges = findRanges(samples.timestampMs);
  const writer = new FitWriter({ rows: samples.length, ranges: ranges.length }, "Tracker");
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { size } of ranges) {
    writer.startRange();
    pieces.push(writer.rows(samples, from, from + size));
    from += size;
  }
  return joined([...pieces, writer.end()]);
}

/** A FIT file with these messages, with header and checksums. */
export function fitFile(messages: readonly (readonly number[])[], headerBytes: 12 | 14 = 14): Uint8Array {
  const data = Uint8Array.from(messages.flat());
  const header = new Uint8Array(headerBytes);
  header.set([headerBytes, 0x10, 0x54, 0x08]);
  new DataView(header.buffer).setUint32(4, data.length, true);
  header.set(ascii(".FIT"), 8);
  if (headerBytes === 14) header.set(littleEndian(crc16(0, header, 0, 12), 2), 12);
  return sealed(joined([header, data, Uint8Array.of(0, 0)]));
}

/** The file with a valid checksum. */
export function sealed(file: Uint8Array): Uint8Array {
  const bytes = file.slice();
  const end = bytes.length - 2;
  if (end >= 0) bytes.set(littleEndian(crc16(0, bytes, 0, end), 2), end);
  return bytes;
}

/** A definition message. Fields consist of number, bytes and base type, developer fields of number, bytes and index of
 * the developer. */
export function fitDefinition(
  local: number,
  global: number,
  fields: readonly (readonly number[])[],
  {
    isBigEndian = false,
    developers,
  }: { isBigEndian?: boolean; developers?: readonly (readonly number[])[] } = {},
): number[] {
  const number = littleEndian(global, 2);
  return [
    0x40 | local | (developers === undefined ? 0 : 0x20),
    0,
    isBigEndian ? 1 : 0,
    ...(isBigEndian ? number.reverse() : number),
    fields.length,
    ...fields.flat(),
    ...(developers === undefined ? [] : [developers.length, ...developers.flat()]),
  ];
}

export function littleEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) & 0xff);
}

export function bigEndian(value: number, bytes: number): number[] {
  return littleEndian(value, bytes).reverse();
}
