import { concatenate } from "../sources/concatenate.js";
import type { Pixels } from "./raster.js";

// PNG (Portable Network Graphics, W3C, third edition): signature, then chunks of length, type, data and CRC.

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const RGB = 2;
const BITS = 8;
const UP = 2;
const PIXELS_PER_METRE_AT_96_DPI = 3780;

/** Encodes pixels as a PNG file. `scale` is the number of pixels per 1/96 inch. */
export async function toPng({ width, height, rgb }: Pixels, scale: number): Promise<Uint8Array> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, BITS);
  header.setUint8(9, RGB);
  const density = new DataView(new ArrayBuffer(9));
  density.setUint32(0, Math.round(PIXELS_PER_METRE_AT_96_DPI * scale));
  density.setUint32(4, Math.round(PIXELS_PER_METRE_AT_96_DPI * scale));
  density.setUint8(8, 1);
  return concatenate([
    Uint8Array.from(SIGNATURE),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("pHYs", new Uint8Array(density.buffer)),
    chunk("IDAT", await deflated(filtered(rgb, 3 * width))),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

// Stores each row as its difference from the row above, because most rows of a picture are similar.
function filtered(rgb: Uint8Array, rowBytes: number): Uint8Array {
  const rows = rgb.length / rowBytes;
  const result = new Uint8Array(rgb.length + rows);
  for (let row = 0; row < rows; row++) {
    const [from, at] = [row * rowBytes, row * (rowBytes + 1)];
    result[at] = UP;
    for (let i = 0; i < rowBytes; i++) {
      result[at + 1 + i] = (rgb[from + i] ?? 0) - (row === 0 ? 0 : (rgb[from + i - rowBytes] ?? 0));
    }
  }
  return result;
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  new TextEncoder().encodeInto(type, bytes.subarray(4));
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

// ISO 3309, as in gzip
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb88320;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 255] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
