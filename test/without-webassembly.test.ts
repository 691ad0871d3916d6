import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { samplesToJson } from "../src/api/json.js";
import { fixture } from "./fixture-files.js";
import { anySample, batchOf } from "./sample-batches.js";
import { thrown } from "./whole.js";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("without WebAssembly", () => {
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
  ])("plain TypeScript writes the same bytes: %s", async ([, webAssembly]) => {
    const batches = fc.sample(fc.array(anySample, { maxLength: 60 }), { numRuns: 50, seed: 3 }).map(batchOf);
    const expectedTexts = batches.map((batch) => text(samplesToJson(batch, { engine: "simd" })));
    vi.resetModules();
    vi.stubGlobal("WebAssembly", webAssembly);
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.resetModules();
    });
    const fresh = { ...(await import("../src/index.js")), ...(await import("../src/api/json.js")) };
    expect(batches.map((batch) => text(fresh.samplesToJson(batch)))).toEqual(expectedTexts);
    const { bytes, csv } = fixture("valid/run-fix-loss");
    const converted = fresh.convertSync(bytes);
    expect(text(converted.csv)).toBe(csv);
    expect(converted.engine).toBe("plain");
    expect(text(fresh.convertSync(bytes, { delimiter: ";" }).csv)).toBe(csv?.replaceAll(",", ";"));
    for (const engine of ["simd", "scalar"] as const) {
      const named = thrown(() => fresh.convertSync(bytes, { engine }));
      expect(named).toMatchObject({
        code: "BAD_OPTION",
        message: expect.stringMatching(/is not available here/),
      });
      const attempt = () => fresh.samplesToJson(batchOf([]), { engine });
      expect(attempt).toThrow(/is not available here; omit the option engine/);
      expect(attempt).toThrow(fresh.AsiError);
    }
  });
});
