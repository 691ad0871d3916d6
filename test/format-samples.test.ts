import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import {
  convert,
  decodeSync,
  FORMAT_NAMES,
  type FormatName,
  formatLabelledSamples,
  formatSamples,
  rowsBetween,
  type SampleBatch,
} from "../src/index.js";
import { fixture } from "./fixture-files.js";
import { joined } from "./frames.js";
import { recordings } from "./recordings.js";
import { expectSame } from "./same.js";
import { asiError } from "./whole.js";

const INFO = decodeSync(fixture("valid/edges").bytes).info;

/** The samples in batches of random sizes. */
function batchesOf(samples: SampleBatch, sizes: readonly number[]): SampleBatch[] {
  const batches: SampleBatch[] = [];
  for (let from = 0, i = 0; from < samples.length; i++) {
    const to = Math.min(samples.length, from + (sizes[i % sizes.length] ?? 1));
    batches.push(rowsBetween(samples, from, to));
    from = to;
  }
  return batches;
}

async function formatted(batches: Iterable<SampleBatch>, format: FormatName, info = INFO) {
  const pieces: Uint8Array[] = [];
  for await (const piece of formatSamples(batches, { format, info })) pieces.push(piece);
  return new Uint8Array(joined(pieces));
}

const rowsInParquet = (file: Uint8Array<ArrayBuffer>) => parquetReadObjects({ file: file.buffer });

describe("formatSamples", () => {
  it.each(FORMAT_NAMES.filter((name) => name !== "parquet"))(
    "writes the same bytes as convert, regardless of the size of the batches: %s",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          recordings,
          fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
          async (bytes, sizes) => {
            const { samples, info } = decodeSync(bytes);
            fc.pre(samples.length > 0);
            const expected = new Uint8Array(
              await new Response(convert(bytes, { format, fillHrMs: 0 }).body as BodyInit).arrayBuffer(),
            );
            expect(await formatted(batchesOf(samples, sizes), format, info)).toEqual(expected);
          },
        ),
        { numRuns: 20 },
      );
    },
  );

  it("writes the rows of convert as Parquet, with the device and without a report", async () => {
    const { bytes } = fixture("valid/edges");
    const { samples } = decodeSync(bytes);
    const expected = await new Response(convert(bytes, { format: "parquet" }).body as BodyInit).arrayBuffer();
    const file = await formatted(batchesOf(samples, [3, 1]), "parquet");
    expect(await rowsInParquet(file)).toEqual(await parquetReadObjects({ file: expected }));
    const { key_value_metadata: metadata } = parquetMetadata(file.buffer);
    expect(metadata?.map(({ key }) => key)).toEqual(["schema", "serial", "device"]);
  });

  it("writes a file without rows if there are no samples", async () => {
    const text = async (format: FormatName) => new TextDecoder().decode(await formatted([], format));
    expect(await text("csv")).toBe("timestamp,latitude,longitude,altitude,speed,hr\n");
    expect(await text("jsonl")).toBe("");
    expect(await text("geojsonl")).toBe("");
    expect(JSON.parse(await text("geojson"))).toMatchObject({ features: [] });
    for (const format of ["gpx", "tcx", "kml"] as const)
      expect(await text(format)).toMatch(/^<\?xml.*<\/\w+>\n$/s);
    expect(await rowsInParquet(await formatted([], "parquet"))).toEqual([]);
  });

  it("does not change earlier pieces while it writes other samples", async () => {
    const { samples } = decodeSync(fixture("valid/edges").bytes);
    const first = formatSamples([samples], { format: "jsonl", info: INFO });
    const piece = (await first.next()).value as Uint8Array;
    const copy = piece.slice();
    await formatted([rowsBetween(samples, 1, samples.length)], "csv");
    expect(piece).toEqual(copy);
  });

  it.each(FORMAT_NAMES)(
    "writes into the memory of the caller, in pieces of at most 64 KiB: %s",
    async (format) => {
      const { samples } = decodeSync(fixture("valid/match-hr").bytes);
      const batches = [rowsBetween(samples, 0, 3000)];
      const given: Uint8Array[] = [];
      const allocate = (length: number) => {
        expect(length).toBeLessThanOrEqual(65_536);
        const memory = new Uint8Array(65_536);
        given.push(memory);
        return memory;
      };
      const pieces: Uint8Array[] = [];
      for await (const piece of formatSamples(batches, { format, info: INFO, allocate })) pieces.push(piece);
      expect(given.length).toBeGreaterThan(1);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
      expect(pieces.length).toBe(given.length);
      expect(pieces.every(({ buffer }, i) => buffer === given[i]?.buffer)).toBe(true);
      expectSame(joined(pieces), await formatted(batches, format), "bytes");
    },
  );

  it("refuses invalid options and samples, and passes on an error of the source", async () => {
    const { samples } = decodeSync(fixture("valid/edges").bytes);
    const fails = async (batches: Iterable<SampleBatch>, options: object) =>
      (await asiError(wholeOf(batches, options))).code;
    const wholeOf = async (batches: Iterable<SampleBatch>, options: object) => {
      for await (const _ of formatSamples(batches, options as never));
    };
    expect(await fails([samples], { format: "xlsx", info: INFO })).toBe("BAD_OPTION");
    expect(await fails([samples], { format: "csv", info: INFO, numbers: "decimal" })).toBe("BAD_OPTION");
    expect(await fails([samples], { format: "csv", info: INFO, formt: 1 })).toBe("BAD_OPTION");
    expect(await fails([samples], { format: "csv", info: INFO, allocate: 16 })).toBe("BAD_OPTION");
    expect(
      await fails([{ ...samples, timestampMs: new Float64Array(samples.length).fill(0.5) }], {
        format: "csv",
        info: INFO,
      }),
    ).toBe("BAD_ARGUMENT");
    function* broken(): Generator<SampleBatch> {
      yield samples;
      throw new Error("the source failed");
    }
    await expect(wholeOf(broken(), { format: "csv", info: INFO })).rejects.toThrow("the source failed");
  });

  it.each(["csv", "jsonl", "parquet"] as const)(
    "writes two files at the same time as if each were alone: %s",
    async (format) => {
      // The values do not compress, so each piece of the writers is larger than 64 KiB.
      const length = 70_000;
      const scattered = (seed: number, range: number) =>
        Int32Array.from({ length }, (_, i) => Math.imul(i + seed, 0x9e3779b1) % range);
      const files = [1, 2].map((seed) => ({
        timestampMs: Float64Array.from({ length }, (_, i) => 1_700_000_000_000 + 100 * i),
        latitudeE7: scattered(seed, 900_000_000),
        longitudeE7: scattered(seed + 7, 1_800_000_000),
        altitudeMm: scattered(seed, 1_000_000),
        speedMmPerS: scattered(seed, 10_000).map(Math.abs),
        fixType: new Uint8Array(length).fill(3),
        hr: new Uint8Array(length),
        length,
      }));
      const open = (batch: SampleBatch) => formatSamples([batch], { format, info: INFO });
      const alone: Uint8Array[][] = [];
      for (const file of files) {
        const pieces: Uint8Array[] = [];
        for await (const piece of open(file)) pieces.push(piece);
        alone.push(pieces);
      }
      const together = files.map((): Uint8Array[] => []);
      const writers = files.map(open);
      for (let left = writers.length; left > 0; ) {
        left = 0;
        for (const [n, writer] of writers.entries()) {
          const { done, value } = await writer.next();
          if (done) continue;
          left++;
          together[n]?.push(value.slice());
        }
      }
      // A difference between files of several megabytes would take minutes to print.
      const isEqual = together.map((pieces, n) =>
        Buffer.concat(pieces).equals(Buffer.concat(alone[n] ?? [])),
      );
      expect(isEqual).toEqual([true, true]);
    },
  );

  it.each([
    ["no Uint8Array", () => new ArrayBuffer(65_536), /^allocate returned an object; return a Uint8Array/],
    ["nothing", () => undefined, /^allocate returned undefined; return a Uint8Array/],
    [
      "too few bytes",
      () => new Uint8Array(16),
      /^allocate returned 16 bytes instead of \d+; return at least/,
    ],
  ])("refuses memory from allocate that is %s", async (_, allocate, message) => {
    const { samples } = decodeSync(fixture("valid/edges").bytes);
    const groups = [{ labels: ["Ann"], samples: [samples] }];
    const options = { format: "csv", allocate: allocate as never } as const;
    const piecesOf = [
      formatSamples([samples], { ...options, info: INFO }),
      formatLabelledSamples(groups, { ...options, labels: ["player"], schema: "rows/1" }),
    ];
    for (const pieces of piecesOf) {
      const error = await asiError(pieces.next());
      expect([error.code, error.message]).toEqual(["BAD_OPTION", expect.stringMatching(message)]);
    }
  });
});
