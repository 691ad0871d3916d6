import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { samplesToCsv } from "../src/api/csv.js";
import type { EngineName, SampleBatch } from "../src/index.js";
import { csvLine } from "./oracle/csv-line.js";
import { anySample, batchOf } from "./sample-batches.js";

const ENGINES: EngineName[] = ["simd", "scalar", "plain"];
const HEADER = "timestamp,latitude,longitude,altitude,speed,hr\n";
const text = (batch: SampleBatch, engine: EngineName, header?: boolean) =>
  new TextDecoder().decode(samplesToCsv(batch, { engine, header }));

describe("samples as CSV", () => {
  it.each(ENGINES)("have the same lines as convert: %s", (engine) => {
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 40 }), (samples) => {
        const lines = samples.map(csvLine).join("");
        expect(text(batchOf(samples), engine)).toBe(HEADER + lines);
        expect(text(batchOf(samples), engine, false)).toBe(lines);
      }),
    );
  });

  it("are only the header line without samples, and nothing without a header", () => {
    for (const engine of ENGINES) {
      expect(text(batchOf([]), engine)).toBe(HEADER);
      expect(text(batchOf([]), engine, false)).toBe("");
    }
  });

  it("are refused for values that cannot be written", () => {
    expect(() => samplesToCsv(batchOf([]), { header: 1 } as never)).toThrow("header");
    expect(() => samplesToCsv({ length: 1 } as never)).toThrow(
      expect.objectContaining({ code: "BAD_ARGUMENT" }),
    );
  });
});
