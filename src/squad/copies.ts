import type { SampleBatch } from "../types.js";

interface Content {
  serial: string;
  samples: SampleBatch;
}

const columnsOf = ({ timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr }: SampleBatch) => [
  timestampMs,
  latitudeE7,
  longitudeE7,
  altitudeMm,
  speedMmPerS,
  hr,
];

/** Identifies a recording by its tracker and all its rows, regardless of the file name. Copies have equal keys. */
export function contentKey({ serial, samples }: Content): string {
  const { length } = samples;
  return [serial.toLowerCase(), length, ...columnsOf(samples).map((column) => hashOf(column, length))].join(
    " ",
  );
}

/** Returns whether two recordings are copies, which count once. Most different recordings differ in the tracker or in the first row. */
export function isSameRecording(a: Content, b: Content): boolean {
  const { length } = a.samples;
  if (a.serial.toLowerCase() !== b.serial.toLowerCase() || length !== b.samples.length) return false;
  const others = columnsOf(b.samples);
  return columnsOf(a.samples).every((column, at) => isSame(column, others[at] ?? [], length));
}

function isSame(a: ArrayLike<number>, b: ArrayLike<number>, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Computes FNV-1a over whole numbers instead of bytes. */
function hashOf(column: ArrayLike<number>, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) {
    const value = column[i] ?? 0;
    hash = Math.imul(hash ^ (value | 0), 0x01000193);
    // times have more than 32 bits
    hash = Math.imul(hash ^ (value / 2 ** 32), 0x01000193);
  }
  return hash >>> 0;
}
