import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { samplesToJson } from "../src/api/json.js";
import * as library from "../src/index.js";
import { AsiCsvStream, AsiDecoderStream, AsiError, RecordingReader, type SampleBatch } from "../src/index.js";
import * as onDisk from "../src/node.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { examples } from "./long-form.js";
import { all, rejection, thrown } from "./whole.js";

const folder = mkdtempSync(join(tmpdir(), "asi-arguments-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const recording = joined([asiInf(), navPvt(civilTime(1000)), navPvt(civilTime(1100))]);

const anything = fc.oneof(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.constantFrom<unknown>(
    undefined,
    null,
    Number.NaN,
    -1,
    2 ** 53,
    1e300,
    Symbol("s"),
    () => 1,
    Object.create(null),
    new Uint8Array(0),
    new Float64Array(3),
    "\u001b[31m",
    "a".repeat(100_000),
    new Proxy({}, {}),
  ),
);

/** Objects that resemble the expected types. */
const pretenders = fc.constantFrom<() => unknown>(
  () => ({ [Symbol.iterator]: 1 }),
  () => ({ [Symbol.iterator]: () => 1 }),
  () => ({ [Symbol.iterator]: () => ({ next: 1 }) }),
  () => ({ [Symbol.iterator]: () => ({ next: () => 1 }) }),
  () => ({ [Symbol.asyncIterator]: () => null }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: () => null }) }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: async () => "text" }) }),
  () => ({ getReader: 1 }),
  () => ({ getReader: () => 1 }),
  () => ({ getReader: () => ({ read: async () => undefined, cancel: async () => {} }) }),
  () => ({ arrayBuffer: 1, slice: 2 }),
  () => ({ arrayBuffer() {}, slice: () => 1, size: 1e9 }),
  () => ({ arrayBuffer() {}, slice: () => ({ arrayBuffer: async () => new ArrayBuffer(0) }), size: 1e9 }),
  () => [[Symbol("row")]],
  () => [{ timestamp: Symbol("t"), latitude: 1n, longitude: {}, speed: null, hr: 5 }],
  () => ({ length: 9, timestampMs: new Float64Array(1) }),
);

const OPTION_NAMES = [
  ...["serial", "strict", "from", "to", "fillHrMs", "signal", "engine", "columns", "delimiter", "header"],
  ...["lineEnd", "before", "after", "onProgress", "force", "split", "claim", "deviceName", "periodMs"],
];
const nearlyOptions = fc.dictionary(fc.constantFrom(...OPTION_NAMES), anything, { noNullPrototype: true });
const rightOnes = fc.constantFrom<() => unknown>(
  () => recording,
  () => ({ serial: "X" }),
  () => [{ timestamp: 0, latitude: 0, longitude: 0, speed: 0 }],
  () => ({}),
  () => join(folder, "missing.asi"),
);
const argument = fc.oneof(anything, nearlyOptions, pretenders.map(run), rightOnes.map(run));

function run<T>(make: () => T): T {
  return make();
}

/** Consumes the result of a function: streams, generators, promises. */
async function useUp(value: unknown): Promise<void> {
  const given = await value;
  if (typeof given !== "object" || given === null || ArrayBuffer.isView(given)) return;
  if (given instanceof AsiError) return;
  const streams = [given, ...Object.values(given)].filter(
    (one): one is AsyncIterable<unknown> =>
      typeof one === "object" && one !== null && (Symbol.asyncIterator in one || "getReader" in one),
  );
  for (const stream of streams) await all(stream);
  if (Symbol.iterator in given) Array.from(given as Iterable<unknown>);
}

const CONSTRUCTORS: Record<string, (...args: unknown[]) => unknown> = {
  AsiError: (...args) => new AsiError(...(args as ["BAD_ROW", string])),
  RecordingReader(options, output, chunk) {
    const reader = new RecordingReader({ output, ...(options as object) } as { output: "csv" });
    return [...reader.push(chunk as Uint8Array), ...reader.finish()];
  },
};

const exported: [string, (...args: unknown[]) => unknown][] = Object.entries({ ...library, ...onDisk })
  .filter(([name, value]) => typeof value === "function" && !/Stream$/.test(name))
  .map(([name, value]) => [name, CONSTRUCTORS[name] ?? (value as (...args: unknown[]) => unknown)]);

describe("any invalid argument causes an AsiError", () => {
  it.for(exported)("%s", { timeout: 120_000 }, async ([, call]) => {
    await fc.assert(
      fc.asyncProperty(fc.array(argument, { maxLength: 3 }), async (args) => {
        try {
          await useUp(call(...args));
        } catch (error) {
          // system errors are passed on
          if (error instanceof Error && "syscall" in error) return;
          expect(error).toBeInstanceOf(AsiError);
          expect((error as Error).message.length).toBeLessThan(500);
          expect((error as Error).message).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: examples(300) },
    );
  });

  it.for([
    ["AsiCsvStream", (options: object) => new AsiCsvStream(options)],
    ["AsiDecoderStream", (options: object) => new AsiDecoderStream(options)],
  ] as const)("new %s", async ([, make]) => {
    await fc.assert(
      fc.asyncProperty(argument, async (options) => {
        try {
          make(options as object);
        } catch (error) {
          expect(error).toBeInstanceOf(AsiError);
        }
      }),
      { numRuns: examples(300) },
    );
  });
});

const batch = (): SampleBatch => ({
  length: 2,
  timestampMs: Float64Array.of(1, 2),
  latitudeE7: Int32Array.of(1, 2),
  longitudeE7: Int32Array.of(1, 2),
  altitudeMm: Int32Array.of(1, 2),
  speedMmPerS: Int32Array.of(1, 2),
  hr: Uint8Array.of(1, 2),
  fixType: Uint8Array.of(3, 3),
});

describe("invalid samples are refused", () => {
  it.for<[string, Partial<Record<keyof SampleBatch, unknown>>, RegExp]>([
    ["a length above that of the columns", { length: 3 }, /timestampMs has 2 entries, but length is 3/],
    ["a length above that of one column", { hr: new Uint8Array(1) }, /hr has 1 entries/],
    ["no length", { length: undefined }, /length is undefined/],
    ["a negative length", { length: -1 }, /length is -1/],
    ["half a row", { length: 0.5 }, /length is 0.5/],
    ["a column of a different type", { latitudeE7: Float64Array.of(1, 2) }, /latitudeE7 .* Int32Array/],
    ["an array for a column", { fixType: [3, 3] }, /fixType is an array/],
  ])("%s", ([, change, message]) => {
    const samples = { ...batch(), ...change } as SampleBatch;
    for (const attempt of [
      () => samplesToJson(samples),
      () => samplesToJson(samples, { engine: "scalar" }),
      () => samplesToJson(samples, { engine: "plain" }),
      () => library.rowsOf(samples),
    ]) {
      expect(thrown(attempt)).toMatchObject({
        name: "AsiError",
        code: "BAD_ARGUMENT",
        message: expect.stringMatching(message),
      });
    }
  });

  it.for([Number.NaN, 0.5, Number.POSITIVE_INFINITY, 253_402_300_800_000, -62_167_219_200_001])(
    "a time that cannot be written as JSON: %d",
    (ms) => {
      for (const engine of ["simd", "scalar", "plain"] as const) {
        const samples = { ...batch(), timestampMs: Float64Array.of(1, ms) };
        const error = thrown(() => samplesToJson(samples, { engine }));
        expect(error).toMatchObject({
          code: "BAD_ARGUMENT",
          message: expect.stringMatching(/timestampMs\[1\]/),
        });
      }
    },
  );

  it("accepts columns with unused space at their end", () => {
    const samples = { ...batch(), length: 1 };
    expect(JSON.parse(new TextDecoder().decode(samplesToJson(samples)))).toHaveLength(1);
    expect([...library.rowsOf(samples)]).toHaveLength(1);
  });
});

describe("invalid arguments are refused by name", () => {
  it.for<[string, () => unknown, object]>([
    ["strict", () => library.convert(recording, { strict: "no" as never }), { code: "BAD_OPTION" }],
    ["from as text", () => library.decode(recording, { from: "2025" as never }), { code: "BAD_OPTION" }],
    ["columns", () => library.convert(recording, { columns: [undefined as never] }), { code: "BAD_OPTION" }],
    ["instants", () => library.findRanges([1, Number.NaN]), { code: "BAD_ARGUMENT" }],
    ["a start", () => library.csvFileName("X", Number.NaN, 0), { code: "BAD_ARGUMENT" }],
    ["a serial number", () => library.csvFileName("../x", 0, 0), { code: "BAD_OPTION" }],
  ])("%s", ([, attempt, expected]) => {
    expect(thrown(attempt)).toMatchObject(expected);
  });

  it.for<[string, () => Promise<unknown>, object]>([
    ["no path", () => onDisk.convertFile("" as never), { code: "BAD_ARGUMENT" }],
    ["a path with NUL", () => onDisk.inspectFile("a\0b"), { code: "BAD_ARGUMENT" }],
    ["a URL", () => onDisk.repairFile(new URL("file:///x") as never), { code: "BAD_ARGUMENT" }],
    ["a number", () => onDisk.readFileChunks(0 as never).next(), { code: "BAD_ARGUMENT" }],
    ["outDir", () => onDisk.convertFile("x.asi", { outDir: "" }), { code: "BAD_OPTION" }],
    ["force", () => onDisk.convertFile("x.asi", { force: 1 as never }), { code: "BAD_OPTION" }],
    [
      "onProgress",
      () => onDisk.readFileChunks("x", { onProgress: 1 as never }).next(),
      { code: "BAD_OPTION" },
    ],
  ])("in functions for files: %s", async ([, attempt, expected]) => {
    expect(await rejection(attempt())).toMatchObject(expected);
  });
});

it("a caller cannot change the list of columns for other callers", () => {
  expect(thrown(() => (library.COLUMNS as unknown as string[]).push("x"))).toBeInstanceOf(TypeError);
  expect(library.COLUMNS).toHaveLength(6);
});
