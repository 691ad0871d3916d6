import { crc32, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUCKET_MS, bucketStartMs } from "./bucket.js";
import { decodeChunk, encodeChunk } from "./codec.js";
import { FIX_2D, FIX_3D, type SampleColumns, sliceColumns } from "./columns.js";
import { SampleStoreError } from "./errors.js";
import { columnsOf, int32, type Sample, samplesOf } from "./testing/samples.js";
import { recordSession } from "./testing/session.js";

const bucket = fc.integer({ min: -800_000_000, max: 800_000_000 });

/** Samples of one bucket with any values and strictly ascending times. */
const chunk = bucket.chain((number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: BUCKET_MS - 1 }), { minLength: 1, maxLength: 60 })
    .chain((offsets) =>
      fc.tuple(
        ...offsets
          .sort((a, b) => a - b)
          .map((offset) =>
            fc.record<Sample>({
              ms: fc.constant(bucketStartMs(number) + offset),
              latitude: int32,
              longitude: int32,
              altitude: fc.option(int32),
              speed: int32,
              hr: fc.option(fc.integer({ min: 1, max: 255 })),
            }),
          ),
      ),
    )
    .map((samples) => ({ number, samples })),
);

describe("a chunk", () => {
  it("restores any 32-bit values, before and after 1970", () => {
    fc.assert(
      fc.property(chunk, ({ number, samples }) => {
        const decoded = decodeChunk(encodeChunk(columnsOf(samples), number), number);
        expect(samplesOf(decoded)).toEqual(samples);
      }),
      { numRuns: 500 },
    );
  });

  const denseSamples = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ms: 9 * i,
      latitude: i % 2 === 0 ? -(2 ** 31) : 2 ** 31 - 1,
      longitude: i,
      altitude: i % 3 === 0 ? null : -i,
      speed: i * 70_000,
      hr: i % 5 === 0 ? 1 + (i % 255) : null,
    }));

  it("can contain 100 samples for every second of its five minutes", () => {
    const samples = denseSamples(30_000);
    const decoded = decodeChunk(encodeChunk(columnsOf(samples), 0), 0);
    expect(samplesOf(decoded)).toEqual(samples);
  });

  it("with more samples is not written, and with more than one a millisecond not read", () => {
    expect(() => encodeChunk(columnsOf(denseSamples(30_001)), 2)).toThrow(
      expect.objectContaining({
        code: "TOO_DENSE",
        bucket: 2,
        message: expect.stringMatching(/from 1970-01-01T00:10:00.000Z .* 30001 samples.* 30000 /),
      }),
    );
    const body = deflateRawSync(new Uint8Array(200_000));
    expect(() => decodeChunk(seal(1, 300_001, body), 0)).toThrow(/300001 samples/);
  });

  it("stores whether there is an altitude, but not the fix type", () => {
    const columns: SampleColumns = {
      length: 3,
      timestampMs: Float64Array.of(1, 2, 3),
      latitudeE7: new Int32Array(3),
      longitudeE7: new Int32Array(3),
      altitudeMm: Int32Array.of(10, 20, 30),
      speedMmPerS: new Int32Array(3),
      hr: new Uint8Array(3),
      fixType: Uint8Array.of(2, 3, 4),
    };
    const decoded = decodeChunk(encodeChunk(columns, 0), 0);
    expect([...decoded.fixType]).toEqual([FIX_2D, FIX_3D, FIX_3D]);
    expect([...decoded.altitudeMm]).toEqual([0, 20, 30]);
  });

  it("takes at most 6 bytes per sample for a 10 Hz session with one heart rate per second", () => {
    const session = recordSession(1_700_000_100_000, 36_000, 1);
    let bytes = 0;
    for (let from = 0; from < session.length; from += 3000) {
      const samples = sliceColumns(session, from, from + 3000);
      bytes += encodeChunk(samples, Math.floor((samples.timestampMs[0] ?? 0) / BUCKET_MS)).length;
    }
    expect(bytes / session.length).toBeLessThan(6);
    expect(bytes / session.length).toBeGreaterThan(1);
  });
});

describe("bytes that are not a chunk", () => {
  const session = recordSession(0, 300, 2);
  const valid = encodeChunk(session, 0);

  it("are refused with a code, the bucket and the required action", () => {
    try {
      decodeChunk(valid.subarray(0, 100), 7);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(SampleStoreError);
      expect(error).toMatchObject({ code: "CORRUPT_CHUNK", bucket: 7 });
      expect(String(error)).toContain("backup");
    }
  });

  it("are refused if any bit of a chunk is wrong", () => {
    for (let at = 0; at < valid.length; at++) {
      const damaged = Uint8Array.from(valid);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at & 7));
      expect(() => decodeChunk(damaged, 0)).toThrow(SampleStoreError);
    }
  });

  it("are refused for every wrong length", () => {
    for (let length = 0; length < valid.length; length++)
      expect(() => decodeChunk(valid.subarray(0, length), 0)).toThrow(SampleStoreError);
    expect(() => decodeChunk(Buffer.concat([valid, Buffer.alloc(1)]), 0)).toThrow(SampleStoreError);
  });

  it("are refused or decoded to samples in order if only the checksum is valid", () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff), { maxLength: 200 })
        .map((bytes) => Uint8Array.from(bytes)),
    );
    fc.assert(
      fc.property(fc.nat(12), body, fc.boolean(), (size, bytes, deflated) => {
        const bad = seal(1, size, deflated ? deflateRawSync(bytes) : bytes);
        let columns: SampleColumns;
        try {
          columns = decodeChunk(bad, 0);
        } catch (error) {
          expect(error).toBeInstanceOf(SampleStoreError);
          return;
        }
        const times = [...columns.timestampMs];
        expect(times).toHaveLength(size);
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      }),
      { numRuns: 3000 },
    );
  });

  it("are refused if they would decompress to more than the maximum size of the samples", () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000));
    expect(() => decodeChunk(seal(1, 300, bomb), 0)).toThrow(SampleStoreError);
    expect(() => decodeChunk(seal(1, 4_000_000_000, bomb), 0)).toThrow(SampleStoreError);
    expect(() => decodeChunk(seal(1, 0, bomb), 0)).toThrow(SampleStoreError);
  });

  it("are refused if a newer version wrote them", () => {
    expect(() => decodeChunk(seal(2, 300, valid.subarray(9)), 0)).toThrow(/version 2/);
  });
});

/** Creates a chunk with a valid checksum from any body. */
function seal(version: number, size: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(9 + body.length);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt32LE(size, 5);
  bytes.set(body, 9);
  bytes.writeUInt32LE(crc32(bytes.subarray(5)), 1);
  return bytes;
}
