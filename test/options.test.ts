/** Tests options that are refused before a byte is read, and valid ones at the limits. */
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { samplesToJson } from "../src/api/json.js";
import {
  AsiCsvStream,
  AsiDecoderStream,
  AsiError,
  convert,
  convertSync,
  type DecodeOptions,
  decode,
  decodeRows,
  decodeSync,
  encode,
  inspect,
  inspectSync,
  type RecordingHeader,
  repair,
  type SampleBatch,
} from "../src/index.js";
import {
  convertFile,
  convertToFile,
  encodeCsv,
  inspectFile,
  readFileChunks,
  repairFile,
} from "../src/node.js";
import { asiInf, civilTime, ecgHr, joined, navPvt } from "./frames.js";
import { all, asiError, thrown, wholeText } from "./whole.js";

const header = asiInf();
const row = navPvt(civilTime(1000));

describe("an option outside its range is refused before a byte is read", () => {
  it.for<[string, DecodeOptions, RegExp]>([
    ["from is not a number", { from: Number.NaN }, /from is not a valid time/],
    ["from is not a date", { from: new Date("yesterday") }, /from is not a valid time/],
    ["to is not a number", { to: Number.NaN }, /to is not a valid time/],
    ["from is null", { from: null as unknown as number }, /from is not a valid time/],
    ["to is null", { to: null as unknown as Date }, /to is not a valid time/],
    ["an object that is not a signal", { signal: {} as AbortSignal }, /AbortController/],
    ["half a signal", { signal: { addEventListener() {} } as unknown as AbortSignal }, /AbortController/],
    [
      "the other half",
      { signal: { removeEventListener() {} } as unknown as AbortSignal },
      /signal is not an AbortSignal; pass the signal of an AbortController/,
    ],
    ["from that is later than to", { from: 2, to: 1 }, /later/],
    ["a negative age", { fillHrMs: -1 }, /fillHrMs is -1.*0 or more/],
    ["a fraction of a millisecond", { fillHrMs: 0.5 }, /fillHrMs is 0.5.*whole/],
    ["an age that is not a number", { fillHrMs: Number.NaN }, /fillHrMs is NaN/],
    ["an age as text", { fillHrMs: "Infinity" as unknown as number }, /fillHrMs is "Infinity"/],
    ["an age as an array", { fillHrMs: [5] as unknown as number }, /fillHrMs is an array/],
    ["an age beyond all numbers counted", { fillHrMs: 2 ** 60 }, /fillHrMs/],
    ["no age", { fillHrMs: null as unknown as number }, /fillHrMs is null/],
    ["another engine", { engine: "steam" as "simd" }, /"steam".*simd, scalar or plain/],
  ])("%s", ([, options, message]) => {
    const concernsRows = Object.keys(options).some((name) => !["signal", "engine"].includes(name));
    for (const attempt of [convert, decode, decodeRows, ...(concernsRows ? [] : [repair])]) {
      const source = new ReadableStream<Uint8Array>();
      const error = thrown(() => attempt(source, options));
      expect(error).toBeInstanceOf(AsiError);
      expect(error).toMatchObject({ code: "BAD_OPTION", byteOffset: undefined });
      expect((error as AsiError).message).toMatch(message);
      expect(source.locked).toBe(false);
    }
  });

  it("including by inspect, through its promise", async () => {
    expect(await asiError(inspect(header, { fillHrMs: -1 }))).toMatchObject({ code: "BAD_OPTION" });
  });
});

describe("options that are not an object are refused, never with a TypeError", () => {
  it.for<[string, unknown]>([
    ["null", null],
    ["a text", "strict"],
    ["a function", () => {}],
  ])("%s", async ([, value]) => {
    const options = value as object;
    const refused = {
      name: "AsiError",
      code: "BAD_OPTION",
      message: expect.stringContaining("must be an object"),
    };
    for (const attempt of [
      () => convert(header, options),
      () => decode(header, options),
      () => decodeRows(header, options),
      () => repair(header, options),
      () => new AsiCsvStream(options),
      () => new AsiDecoderStream(options),
      () => encode([], options as RecordingHeader),
      () => encodeCsv(header, options as RecordingHeader),
      () => encodeCsv(header, { serial: "X" }, options),
      () => samplesToJson({} as SampleBatch, options),
    ]) {
      expect(thrown(attempt)).toMatchObject(refused);
    }
    const chunks = readFileChunks("missing.asi", options)[Symbol.asyncIterator]();
    for (const attempt of [
      inspect(header, options),
      convertFile("missing.asi", options),
      convertToFile(header, options),
      inspectFile("missing.asi", options),
      repairFile("missing.asi", options),
      chunks.next(),
    ]) {
      expect(await asiError(attempt)).toMatchObject(refused);
    }
  });
});

describe("options at the limits of their range", () => {
  const rows = joined([
    header,
    ecgHr({ timeMs: 999, beatsPerMinute: 80 }),
    row,
    navPvt(civilTime(3_600_000)),
  ]);

  it("accept a heart rate of any age", async () => {
    const csv = await wholeText(convert(rows, { fillHrMs: Number.POSITIVE_INFINITY, columns: ["hr"] }).body);
    expect(csv).toBe("hr\n80\n80\n");
  });

  it("may be a Date from a different realm, and null as the signal", async () => {
    const from = runInNewContext("new Date(1001)") as Date;
    const options = { from, signal: null as unknown as AbortSignal };
    expect((await all(decodeRows(rows, options))).map(({ timestamp }) => timestamp)).toEqual([3_600_000]);
  });

  it.for(["simd", "scalar", "plain"] as const)(
    "accept limits between two milliseconds: %s",
    async (engine) => {
      const times = async (from: number, to: number) =>
        (await all(decodeRows(joined([header, row]), { from, to, engine }))).map(
          ({ timestamp }) => timestamp,
        );
      expect(await times(1000, 1000)).toEqual([1000]);
      expect(await times(999.5, 1000.5)).toEqual([1000]);
      expect(await times(1000.1, 2000)).toEqual([]);
      expect(await times(0, 999.9)).toEqual([]);
      expect(await times(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toEqual([1000]);
    },
  );
});

describe("an option that does not exist", () => {
  const misspelt = { formt: "gpx" } as object;

  it.for<[string, () => unknown]>([
    ["convert", () => convert(header, misspelt)],
    ["convertSync", () => convertSync(header, misspelt)],
  ])("is refused with a suggestion: %s", ([, call]) => {
    expect(thrown(call)).toMatchObject({
      code: "BAD_OPTION",
      message: 'The option "formt" is unknown; did you mean format?',
    });
  });

  it.for<[string, () => unknown]>([
    ["decode", () => decode(header, { fillHrMS: 5 } as object)],
    ["decodeSync", () => decodeSync(header, { filHrMs: 5 } as object)],
    ["inspectSync", () => inspectSync(header, { fillHrMss: 5 } as object)],
  ])("may differ in one letter: %s", ([, call]) => {
    expect(thrown(call)).toMatchObject({ message: expect.stringContaining("did you mean fillHrMs?") });
  });

  it("is refused with the list of options if none is similar", async () => {
    const error = await asiError(inspect(header, { columns: [] } as object));
    expect(error.message).toBe(
      'The option "columns" is unknown; use one of serial, strict, from, to, fillHrMs, everyMs, hr, signal, engine',
    );
  });
});
