import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type EngineName, rowsOf, type SampleBatch, samplesToJson } from "../src/index.js";

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
// the years 0 to 9999
const instant = fc.oneof(
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  fc.integer({ min: -3_000, max: 3_000 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_003_000 }),
);
const row = fc.record({
  timestampMs: instant,
  latitudeE7: fc.oneof(
    int32,
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: 99_999_990, max: 100_000_010 }),
  ),
  longitudeE7: int32,
  altitudeMm: fc.oneof(int32, fc.integer({ min: -1001, max: 1001 })),
  speedMmPerS: int32,
  hr: fc.integer({ min: 0, max: 255 }),
  fixType: fc.constantFrom(2, 3, 4),
});
type Sample = { [Column in Exclude<keyof SampleBatch, "length">]: number };

function batchOf(samples: readonly Sample[]): SampleBatch {
  return {
    length: samples.length,
    timestampMs: Float64Array.from(samples, (sample) => sample.timestampMs),
    latitudeE7: Int32Array.from(samples, (sample) => sample.latitudeE7),
    longitudeE7: Int32Array.from(samples, (sample) => sample.longitudeE7),
    altitudeMm: Int32Array.from(samples, (sample) => sample.altitudeMm),
    speedMmPerS: Int32Array.from(samples, (sample) => sample.speedMmPerS),
    hr: Uint8Array.from(samples, (sample) => sample.hr),
    fixType: Uint8Array.from(samples, (sample) => sample.fixType),
  };
}

/** What a reader of the JSON must get: the rows in SI units, under the service's names. */
const expected = (batch: SampleBatch) =>
  [...rowsOf(batch)].map((one) => ({
    "gnss.altitude": one.altitude,
    "gnss.latitude": one.latitude,
    "gnss.longitude": one.longitude,
    "gnss.speed": one.speed,
    "gnss.timestamp": one.timestamp,
    "ecg.hr": one.hr,
  }));

const text = (batch: SampleBatch, engine: EngineName) =>
  new TextDecoder().decode(samplesToJson(batch, { engine }));
const ENGINES: EngineName[] = ["simd", "plain", "reference"];

describe("samples as JSON", () => {
  it("has every key, all decimals, and null for what is missing", () => {
    const batch = batchOf([
      {
        timestampMs: 1_000_000_000_050,
        latitudeE7: 473_700_001,
        longitudeE7: 85_500_000,
        altitudeMm: 408_123,
        speedMmPerS: 3_050,
        hr: 142,
        fixType: 3,
      },
      { timestampMs: -1, latitudeE7: -1, longitudeE7: 0, altitudeMm: 5, speedMmPerS: 0, hr: 0, fixType: 2 },
    ]);
    for (const engine of ENGINES) {
      expect(text(batch, engine)).toBe(
        '[{"gnss.altitude":408.123,"gnss.latitude":47.3700001,"gnss.longitude":8.5500000,"gnss.speed":3.050,"gnss.timestamp":1000000000050,"ecg.hr":142},' +
          '{"gnss.altitude":null,"gnss.latitude":-0.0000001,"gnss.longitude":0.0000000,"gnss.speed":0.000,"gnss.timestamp":-1,"ecg.hr":null}]',
      );
    }
  });

  it("is an empty array without samples", () => {
    for (const engine of ENGINES) expect(text(batchOf([]), engine)).toBe("[]");
  });

  it("stands between the texts of an object that holds it", () => {
    const sample = {
      timestampMs: 1,
      latitudeE7: 2,
      longitudeE7: 3,
      altitudeMm: 4,
      speedMmPerS: 5,
      hr: 6,
      fixType: 3,
    };
    for (const engine of ENGINES) {
      for (const samples of [[], [sample], [sample, sample]]) {
        const json = samplesToJson(batchOf(samples), { before: '{"é":', after: ',"n":1}', engine });
        expect(JSON.parse(new TextDecoder().decode(json))).toEqual({ é: expected(batchOf(samples)), n: 1 });
      }
    }
  });

  it.each(ENGINES)("reads back as the very numbers of the columns: %s", (engine) => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), (samples) => {
        const batch = batchOf(samples);
        expect(JSON.parse(text(batch, engine))).toEqual(expected(batch).map((one) => ({ ...one })));
      }),
    );
  });

  it("has the same bytes from every engine, however many rows there are", () => {
    const samples = fc.sample(row, { numRuns: 5_200, seed: 7 });
    for (const length of [1, 1_697, 1_698, 1_699, 5_200]) {
      const batch = batchOf(samples.slice(0, length));
      const reference = text(batch, "reference");
      expect(text(batch, "plain")).toBe(reference);
      expect(text(batch, "simd")).toBe(reference);
    }
  });
});

describe("where WebAssembly does not run", () => {
  const forbidden = {
    validate: () => true,
    Module: class {
      constructor() {
        throw new WebAssembly.CompileError("blocked by the content security policy");
      }
    },
  };

  it.for<[string, unknown]>([
    ["it is missing", undefined],
    ["a content security policy forbids it", forbidden],
  ])("plain TypeScript gives the same bytes: %s", async ([, webAssembly]) => {
    const batches = fc.sample(fc.array(row, { maxLength: 60 }), { numRuns: 50, seed: 3 }).map(batchOf);
    const expectedTexts = batches.map((batch) => text(batch, "simd"));
    vi.resetModules();
    vi.stubGlobal("WebAssembly", webAssembly);
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.resetModules();
    });
    const fresh = await import("../src/index.js");
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    expect(batches.map((batch) => decode(fresh.samplesToJson(batch)))).toEqual(expectedTexts);
    for (const engine of ["simd", "plain"] as const) {
      const attempt = () => fresh.samplesToJson(batchOf([]), { engine });
      expect(attempt).toThrow(/does not run here; leave the option engine out/);
      expect(attempt).toThrow(fresh.AsiError);
    }
  });
});
