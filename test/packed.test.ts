import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSync, type SampleBatch } from "../src/index.js";
import { fromBase64, packSamples, toBase64, unpackSamples } from "../src/packed/index.js";
import { fixture } from "./fixture-files.js";
import { examples } from "./long-form.js";
import { expectSame } from "./same.js";
import { anySample, batchOf, type Sample, trackOf } from "./sample-batches.js";

/** The expected result of a round trip: all values except the altitude of two-dimensional fixes. */
function expected(samples: readonly Sample[]): SampleBatch {
  return batchOf(samples.map((sample) => (sample.fixType === 2 ? { ...sample, altitudeMm: 0 } : sample)));
}

const RUNS = { numRuns: examples(300) };

describe("packed samples", () => {
  it("are unpacked to the original values, for any values", () => {
    const track = trackOf({ from: -62_167_219_200_000, to: 253_402_300_799_999 });
    const anySamples = fc.array(anySample, { maxLength: 200 });
    fc.assert(
      fc.property(fc.oneof(anySamples, track), (samples) => {
        expect(unpackSamples(packSamples(batchOf(samples)))).toEqual(expected(samples));
      }),
      RUNS,
    );
  });

  it("do not depend on how the samples are divided into batches, or on longer columns", () => {
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 150 }), fc.nat(150), (samples, cut) => {
        const batches = [samples.slice(0, cut), samples.slice(cut)].map(batchOf);
        const longer = { ...batchOf([...samples, ...samples]), length: samples.length };
        const packed = packSamples(batchOf(samples));
        expect(packSamples(batches)).toEqual(packed);
        expect(packSamples(longer)).toEqual(packed);
      }),
      RUNS,
    );
  });

  it.each([
    ["valid/match-hr", 4.5],
    ["valid/match-ecg", 4.5],
    ["valid/hour-without-hr", 5.4],
  ])("of %s take at most %d characters of base64 a row", (name, most) => {
    const { samples } = decodeSync(fixture(name).bytes);
    const packed = packSamples(samples);
    expect(toBase64(packed).length / samples.length).toBeLessThanOrEqual(most);
    expect(unpackSamples(fromBase64(toBase64(packed))).timestampMs).toEqual(samples.timestampMs);
  });

  it("refuse samples that cannot be packed", () => {
    expect(() => packSamples(null as unknown as SampleBatch)).toThrow(/^The samples are null/);
    expect(() => packSamples([{}] as unknown as SampleBatch[])).toThrow(/^length is undefined/);
    const sample = { latitudeE7: 0, longitudeE7: 0, altitudeMm: 0, speedMmPerS: 0, hr: 0, fixType: 3 };
    for (const timestampMs of [0.5, Number.NaN, 253_402_300_800_000]) {
      expect(() => packSamples(batchOf([{ timestampMs, ...sample }]))).toThrow(/^timestampMs\[0\] is /);
    }
  });
});

describe("damaged packed samples", () => {
  const { samples } = decodeSync(fixture("valid/run-fix-loss").bytes);
  // it contains heart rates and fixes without altitude
  const packed = packSamples({ ...samples, length: 160 });

  const outcome = (bytes: Uint8Array): SampleBatch | string => {
    try {
      return unpackSamples(bytes);
    } catch (error) {
      expect(error).toMatchObject({ name: "AsiError", code: "BAD_ARGUMENT" });
      return (error as Error).message;
    }
  };

  it("cause an error if they are truncated or have additional bytes", () => {
    for (let length = 0; length < packed.length; length++) {
      expect(outcome(packed.slice(0, length))).toMatch(/^The packed samples are damaged: /);
    }
    expect(outcome(Uint8Array.of(...packed, 0))).toMatch(/bytes follow their end/);
  });

  it("cause an error or are samples after any change", () => {
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.nat(255), (at, byte) => {
        const changed = packed.slice();
        changed[at] = byte;
        const result = outcome(changed);
        if (typeof result !== "string") expectSame(unpackSamples(packSamples(result)), result, `byte ${at}`);
      }),
      { numRuns: examples(2000) },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        outcome(noise);
        outcome(Uint8Array.of(1, 0, 0, 0, 9, 0, 0, 0, 3, ...noise));
      }),
      { numRuns: examples(3000) },
    );
  });

  it("do not cause allocations for rows that they cannot contain", () => {
    const claim = Uint8Array.of(1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, ...new Uint8Array(100));
    expect(outcome(claim)).toMatch(/too short for their number of rows/);
  });

  it("are refused if they have a different version, or are not bytes", () => {
    expect(outcome(Uint8Array.of(2, ...packed.subarray(1)))).toMatch(/version 2 instead of version 1/);
    expect(outcome(new Uint8Array(0))).toMatch(/no version instead/);
    expect(() => unpackSamples("text" as unknown as Uint8Array)).toThrow(/pass a Uint8Array/);
  });
});

describe("base64", () => {
  it("is compatible with other programs", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
        expect(fromBase64(toBase64(bytes))).toEqual(bytes);
      }),
    );
    const long = new Uint8Array(100_000).fill(7);
    expect(toBase64(long)).toBe(Buffer.from(long).toString("base64"));
  });

  it("is refused if it is invalid", () => {
    expect(() => fromBase64("<b>")).toThrow(/^The text is not base64; it starts with "<b>"/);
    expect(() => fromBase64(null as unknown as string)).toThrow(/starts with null/);
  });
});
