import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonKeys, samplesToJson } from "../src/api/json.js";
import { type EngineName, rowsOf, type SampleBatch } from "../src/index.js";
import { anySample, batchOf } from "./sample-batches.js";

/** The expected content of the JSON: the rows in SI units. */
const expected = (batch: SampleBatch) => [...rowsOf(batch)];

const text = (batch: SampleBatch, engine: EngineName, keys?: JsonKeys) =>
  new TextDecoder().decode(samplesToJson(batch, { engine, keys }));
const ENGINES: EngineName[] = ["simd", "scalar", "plain"];

describe("samples as JSON", () => {
  it("have every key, all decimals, and null for missing values", () => {
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
        '[{"timestamp":1000000000050,"latitude":47.3700001,"longitude":8.5500000,"altitude":408.123,"speed":3.050,"hr":142},' +
          '{"timestamp":-1,"latitude":-0.0000001,"longitude":0.0000000,"altitude":null,"speed":0.000,"hr":null}]',
      );
    }
  });

  it("have the given keys, in their order", () => {
    const batch = batchOf([
      { timestampMs: -1, latitudeE7: 1, longitudeE7: 2, altitudeMm: 3, speedMmPerS: 4, hr: 5, fixType: 2 },
    ]);
    const keys = { "ecg.hr": "hr", 'a "time"': "time", z: "altitude", again: "hr" } as const;
    for (const engine of ENGINES) {
      expect(text(batch, engine, keys)).toBe(
        '[{"ecg.hr":5,"a \\"time\\"":"1969-12-31T23:59:59.999Z","z":null,"again":5}]',
      );
      expect(text(batch, engine, {})).toBe("[{}]");
    }
  });

  it("are refused for unknown keys", () => {
    const write = (keys: unknown) => () => samplesToJson(batchOf([]), { keys: keys as JsonKeys });
    expect(write(null)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    expect(write({ a: "pulse" })).toThrow('keys.a is "pulse"; it must be one of timestamp, time,');
    expect(write({ a: "toString" })).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    expect(write({ ["k".repeat(5000)]: "hr" })).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });

  it("are an empty array without samples", () => {
    for (const engine of ENGINES) expect(text(batchOf([]), engine)).toBe("[]");
  });

  it("are written between a prefix and a suffix", () => {
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

  it.each(ENGINES)("have exactly the numbers of the columns: %s", (engine) => {
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 60 }), (samples) => {
        const batch = batchOf(samples);
        expect(JSON.parse(text(batch, engine))).toEqual(expected(batch));
      }),
    );
  });

  it("have the same bytes with every engine, for any number of rows", () => {
    const samples = fc.sample(anySample, { numRuns: 5_200, seed: 7 });
    for (const length of [1, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 5_200]) {
      const batch = batchOf(samples.slice(0, length));
      const plain = text(batch, "plain");
      expect(text(batch, "scalar")).toBe(plain);
      expect(text(batch, "simd")).toBe(plain);
    }
  });

  it("are complete when later rows are longer than earlier ones", () => {
    const short = {
      timestampMs: 1,
      latitudeE7: 0,
      longitudeE7: 0,
      altitudeMm: 0,
      speedMmPerS: 0,
      hr: 0,
      fixType: 2,
    };
    const long = {
      timestampMs: -62_167_219_200_000,
      latitudeE7: -900_000_000,
      longitudeE7: -1_800_000_000,
      altitudeMm: -2_147_483_648,
      speedMmPerS: -2_147_483_648,
      hr: 255,
      fixType: 3,
    };
    const batch = batchOf([...Array(3_000).fill(short), ...Array(9_000).fill(long)]);
    for (const engine of ENGINES) expect(JSON.parse(text(batch, engine))).toEqual(expected(batch));
  });
});
