import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AsiError, convert, decode, type EngineName, inspect, type Report, repair } from "../src/index.js";
import { arbitraryRecording } from "./arbitrary-recording.js";
import { pieces } from "./drive.js";
import { fixtures, fixturesWithRows } from "./fixture-files.js";
import { asiInf, joined } from "./frames.js";
import { examples } from "./long-form.js";
import { mutate } from "./mutations.js";
import { all, wholeBytes } from "./whole.js";

// With a serial number, every input with at least one frame is read to its end.
const serial = "ACCOUNT-1";
const engines: EngineName[] = ["simd", "scalar", "plain"];

/** The report on an input. If the input has no frame, the error contains the report. */
async function reportOn(bytes: Uint8Array, engine?: EngineName): Promise<Report> {
  try {
    return (await inspect(pieces(bytes, 700), { serial, engine })).report;
  } catch (error) {
    if (error instanceof AsiError && error.report !== undefined) return error.report;
    throw error;
  }
}

function expectBalance(report: Report, bytes: Uint8Array): void {
  const { known, unknown, skipped, total } = report.bytes;
  expect(total).toBe(bytes.length);
  expect(known + unknown + skipped).toBe(total);
  expect(Math.min(known, unknown, skipped)).toBeGreaterThanOrEqual(0);
  expect(report.rows.total + sum(Object.values(report.gnssWithoutRow))).toBe(report.frames.gnss);
  expect(sum(report.ranges.map(({ size }) => size))).toBe(report.rows.total);
  expect(report.rows.withHr).toBeLessThanOrEqual(Math.min(report.rows.total, report.frames.ecgHr));
}

describe("known, unknown and skipped bytes add up to the whole input", () => {
  it("for random recordings", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecording, fc.constantFrom(...engines), async (bytes, engine) => {
        const report = await reportOn(bytes, engine).catch(unlessRefused);
        if (report !== null) expectBalance(report, bytes);
      }),
      { numRuns: examples(2000) },
    );
  });

  it("for random bytes", async () => {
    const syncs = fc.constantFrom(Uint8Array.of(0xb5), Uint8Array.of(0xb5, 0x62), asiInf({ serial }));
    const noise = fc.array(fc.oneof(fc.uint8Array({ maxLength: 90 }), syncs), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(noise, fc.constantFrom(...engines), async (parts, engine) => {
        const bytes = joined(parts);
        const report = await reportOn(bytes, engine).catch(unlessRefused);
        if (report !== null) expectBalance(report, bytes);
      }),
      { numRuns: examples(2000) },
    );
  });

  it("for mutated fixtures", async () => {
    const small = fixturesWithRows(6_000);
    let read = 0;
    for (let seed = 0; seed < 3000; seed++) {
      const bytes = mutate(small[seed % small.length]?.bytes ?? joined([]), seed);
      const report = await reportOn(bytes, engines[seed % 3]).catch(unlessRefused);
      if (report === null) continue;
      expectBalance(report, bytes);
      read += 1;
    }
    expect(read).toBeGreaterThan(2000);
  });

  it("for every fixture", async () => {
    for (const { bytes, expectation } of fixtures) {
      if (expectation.report === undefined) continue;
      expectBalance(expectation.report, bytes);
      const report = await reportOn(bytes);
      expect(report.bytes).toEqual(expectation.report.bytes);
    }
  });
});

describe("the report", () => {
  it("is the same for every function and selection of rows", async () => {
    for (const { bytes, options } of fixturesWithRows(100_000)) {
      const { report } = await inspect(bytes, options);
      const from = (report.start ?? 0) + 1000;

      const conversion = convert(bytes, { ...options, columns: ["hr"], to: from + 1e6 });
      await wholeBytes(conversion.body);
      expect(await conversion.report).toEqual(report);

      const decoding = decode(bytes, { ...options, from });
      await all(decoding);
      expect(await decoding.report).toEqual(report);

      const repaired = repair(bytes, options);
      await wholeBytes(repaired.recording);
      expect(await repaired.report).toEqual(report);
    }
  });

  it("is part of the error for an input without any frame", async () => {
    const bytes = new TextEncoder().encode("no recording\n");
    const { bytes: counts } = await reportOn(bytes);
    expect(counts).toEqual({ total: 13, known: 0, unknown: 0, skipped: 13 });
  });
});

// Returns null for headers of another version or a wrong length, which random and mutated bytes sometimes contain.
function unlessRefused(error: unknown): null {
  if (error instanceof AsiError && ["UNSUPPORTED_VERSION", "BAD_HEADER"].includes(error.code)) return null;
  throw error;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
