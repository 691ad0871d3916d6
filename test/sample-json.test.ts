import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EngineName, rowsOf, type SampleBatch, samplesToJson } from "../src/index.js";
import { anySample, batchOf } from "./sample-batches.js";

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
      fc.property(fc.array(anySample, { maxLength: 60 }), (samples) => {
        const batch = batchOf(samples);
        expect(JSON.parse(text(batch, engine))).toEqual(expected(batch).map((one) => ({ ...one })));
      }),
    );
  });

  it("has the same bytes from every engine, however many rows there are", () => {
    const samples = fc.sample(anySample, { numRuns: 5_200, seed: 7 });
    for (const length of [1, 1_697, 1_698, 1_699, 5_200]) {
      const batch = batchOf(samples.slice(0, length));
      const reference = text(batch, "reference");
      expect(text(batch, "plain")).toBe(reference);
      expect(text(batch, "simd")).toBe(reference);
    }
  });
});
