import type { SampleBatch } from "../types.js";

interface Content {
  serial: string;
  samples: SampleBatch;
}

/** What tells a recording from any other: its tracker and all its rows, whatever the file is called. Copies have the same. */
export function contentKey({ serial, samples }: Content): string {
  const { length, timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr } = samples;
  const hashes = [timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr].map((column) =>
    hashOf(column, length),
  );
  return [serial.toLowerCase(), length, ...hashes].join(" ");
}

/** Whether two recordings are copies: such a file counts once. */
export function isSameRecording(a: Content, b: Content): boolean {
  return (
    a.samples.length === b.samples.length &&
    a.samples.timestampMs[0] === b.samples.timestampMs[0] &&
    contentKey(a) === contentKey(b)
  );
}

/** FNV-1a, of whole numbers in place of bytes. */
function hashOf(column: ArrayLike<number>, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) {
    const value = column[i] ?? 0;
    hash = Math.imul(hash ^ (value | 0), 0x01000193);
    // times are longer than 32 bits
    hash = Math.imul(hash ^ (value / 2 ** 32), 0x01000193);
  }
  return hash >>> 0;
}
