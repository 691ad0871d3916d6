import { describe, expect, it } from "vitest";
import {
  AsiDecoderStream,
  type ColumnsOptions,
  convertSync,
  decode,
  decodeRows,
  decodeSync,
  encode,
  inspectSync,
  joinBatches,
  newBatch,
  RecordingReader,
  rowsBetween,
} from "../src/index.js";
import { ENGINES } from "./every-engine.js";
import { asiInf, civilTime, ecgHr, joined, navPvt } from "./frames.js";
import { streamOf } from "./watched-source.js";
import { all, thrown, wholeBytes } from "./whole.js";

const START_MS = 1_700_000_000_000;
/** Values that differ from row to row, including at the limits of their widths. */
const qualityOf = (row: number) => ({
  satellites: [0, 255, 4 + row][row % 3] ?? 0,
  speedAccuracyMmPerS: row === 7 ? 2 ** 32 - 1 : 90 + row,
  pdopHundredths: row === 8 ? 9999 : row === 9 ? 2 ** 16 - 1 : 120 + 3 * row,
});
const rowCount = 25;
const recording = joined([
  asiInf(),
  ...Array.from({ length: rowCount }, (_, row) => [
    ...(row % 5 === 2 ? [ecgHr({ timeMs: START_MS + 100 * row, beatsPerMinute: 140 })] : []),
    navPvt({
      ...civilTime(START_MS + 100 * row),
      speedMmPerS: 1000 + row,
      // runs of rows and single ones, frames of both receivers
      fixType: row % 11 === 10 ? 2 : 3,
      payloadBytes: row < 15 ? 92 : 84,
      ...qualityOf(row),
    }),
  ]).flat(),
]);
const expected = (rows: readonly number[]) => ({
  satellites: Uint8Array.from(rows, (row) => qualityOf(row).satellites),
  speedAccuracyMmPerS: Uint32Array.from(rows, (row) => qualityOf(row).speedAccuracyMmPerS),
  pdopHundredths: Uint16Array.from(rows, (row) => qualityOf(row).pdopHundredths),
});
const everyRow = [...Array(rowCount).keys()];

describe.for(ENGINES)("the option quality, engine %s", (engine) => {
  it("returns satellites, speed accuracy and dilution of precision as received", () => {
    const { samples } = decodeSync(recording, { engine, quality: true });
    expect(samples.quality).toEqual(expected(everyRow));
    const { quality: _, ...others } = samples;
    expect(others).toEqual(decodeSync(recording, { engine }).samples);
  });

  it("is off by default, even after a recording that was read with it", () => {
    decodeSync(recording, { engine, quality: true });
    expect(decodeSync(recording, { engine }).samples).not.toHaveProperty("quality");
    expect(decodeSync(recording, { engine, quality: false }).samples).not.toHaveProperty("quality");
  });

  it("is kept for the rows that limits of time and everyMs select", () => {
    const from = decodeSync(recording, { engine, quality: true, from: START_MS + 1000, to: START_MS + 1900 });
    expect(from.samples.quality).toEqual(expected(everyRow.slice(10, 20)));
    const thinned = decodeSync(recording, { engine, quality: true, everyMs: 500 });
    // row 24 is the only one near its multiple
    expect(thinned.samples.quality).toEqual(expected([0, 5, 10, 15, 20, 24]));
  });

  it("returns the same from a stream, in chunks of any size", async () => {
    const options: ColumnsOptions = { engine, quality: true };
    const streamed = streamOf([recording]).pipeThrough(new AsiDecoderStream(options));
    const reader = new RecordingReader({ engine, quality: true, output: "columns" });
    const pushed = [...recording].flatMap((byte) => reader.push(Uint8Array.of(byte)));
    const read = [await all(decode(recording, options)), await all(streamed), pushed];
    for (const batches of read) expect(joinBatches(batches).quality).toEqual(expected(everyRow));
  });
});

describe("the option quality", () => {
  it("returns empty columns without rows", () => {
    expect(decodeSync(joined([asiInf(), navPvt({ flags: 0 })]), { quality: true }).samples).toEqual(
      newBatch(0, true),
    );
  });

  it("must be true or false, and is refused by functions without columns", () => {
    expect(thrown(() => decodeSync(recording, { quality: 1 as never }))).toMatchObject({
      code: "BAD_OPTION",
      message: "quality is 1; it must be true or false.",
    });
    for (const read of [convertSync, inspectSync, decodeRows] as ((
      bytes: Uint8Array,
      options: ColumnsOptions,
    ) => unknown)[]) {
      expect(thrown(() => read(recording, { quality: true }))).toMatchObject({
        code: "BAD_OPTION",
        message: expect.stringContaining('"quality" is unknown'),
      });
    }
  });

  it("returns 0 for a recording written by encode, which has no quality", async () => {
    const encoded = await wholeBytes(encode(decodeRows(recording), { serial: "TEST-1" }));
    const { samples } = decodeSync(encoded, { quality: true });
    expect(samples.quality).toEqual(newBatch(rowCount, true).quality);
  });
});

describe("batches with quality", () => {
  const { samples } = decodeSync(recording, { quality: true });

  it("keep the quality when they are sliced and joined", () => {
    const parts = [rowsBetween(samples, 0, 7), rowsBetween(samples, 7, 7), rowsBetween(samples, 7, rowCount)];
    expect(parts[0]?.quality).toEqual(expected(everyRow.slice(0, 7)));
    expect(joinBatches(parts)).toEqual(samples);
  });

  it("are not joined with batches without quality", () => {
    const { quality: _, ...without } = samples;
    for (const batches of [
      [samples, without],
      [without, samples],
    ]) {
      expect(thrown(() => joinBatches(batches))).toMatchObject({
        code: "BAD_ARGUMENT",
        message: expect.stringMatching(/^Some batches have the columns of quality/),
      });
    }
  });

  it.for<[string, unknown, string]>([
    ["null", null, "quality is null; it must be columns as decode returns them."],
    ["a missing column", { satellites: samples.quality?.satellites }, "speedAccuracyMmPerS is undefined"],
    [
      "a short column",
      { ...samples.quality, pdopHundredths: new Uint16Array(3) },
      "pdopHundredths has 3 entries, but length is 25.",
    ],
  ])("are refused with %s", ([, quality, message]) => {
    const wrong = { ...samples, quality } as never;
    expect(thrown(() => rowsBetween(wrong, 0, 1))).toMatchObject({
      code: "BAD_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });
});
