import { describe, expect, it } from "vitest";
import {
  AsiCsvStream,
  AsiDecoderStream,
  AsiError,
  convert,
  type DecodeOptions,
  decode,
  decodeRows,
  encode,
  inspect,
  repair,
  type Source,
} from "../src/index.js";
import { encodeCsv } from "../src/node.js";
import { ascii, asiInf, civilTime, joined, navPvt, ubxFrame } from "./frames.js";
import { all, asiError, conversionError, thrown, wholeBytes } from "./whole.js";

const header = asiInf();
const row = navPvt(civilTime(1000));

describe("an error contains its reason, its position and the required action", () => {
  it.for<[string, Uint8Array, DecodeOptions, Partial<AsiError>, RegExp]>([
    [
      "no recording: another frame comes first",
      joined([ascii("$GP\r\n"), row, header]),
      {},
      { code: "NOT_A_RECORDING", byteOffset: 5 },
      /plain u-blox log.*give its serial number/,
    ],
    [
      "not a recording: without frames",
      ascii("Dear Sir or Madam"),
      {},
      { code: "NOT_A_RECORDING", byteOffset: 0 },
      /no valid frame.*not an \.asi recording/,
    ],
    ["no recording: nothing at all", joined([]), {}, { code: "NOT_A_RECORDING", byteOffset: 0 }, /is empty/],
    [
      "no recording: nothing at all, with a serial number",
      joined([]),
      { serial: "X" },
      { code: "NOT_A_RECORDING", byteOffset: 0 },
      /is empty/,
    ],
    [
      "a version of the future",
      joined([ascii("ab"), asiInf({ formatVersion: 7 }), row]),
      {},
      { code: "UNSUPPORTED_VERSION", byteOffset: 2 },
      /version 7.*only version 1.*newer asi-convert/,
    ],
    [
      "a version of the future, later in the file",
      joined([header, row, asiInf({ formatVersion: 2 })]),
      {},
      { code: "UNSUPPORTED_VERSION", byteOffset: 172 },
      /version 2/,
    ],
    [
      "a header of a wrong length",
      joined([asiInf({ payloadBytes: 60 }), row]),
      {},
      { code: "BAD_HEADER", byteOffset: 0 },
      /60 bytes instead of 64/,
    ],
    [
      "a serial number that cannot be part of a file name",
      joined([asiInf({ serial: "../etc" }), row]),
      {},
      { code: "BAD_HEADER", byteOffset: 0 },
      /"\.\.\/etc".*file name.*option serial/,
    ],
    [
      "two devices",
      joined([header, row, asiInf({ serial: "OTHER" }), row]),
      {},
      { code: "MIXED_DEVICES", byteOffset: 172 },
      /TEST-1.*OTHER.*separate.*option serial/,
    ],
    [
      "no row",
      joined([header, ubxFrame(0x0135, ascii("x"))]),
      {},
      { code: "NO_SAMPLES" },
      /no row.*GNSS frame/,
    ],
    [
      "no row between the limits",
      joined([header, row]),
      { from: 1001 },
      { code: "NO_SAMPLES" },
      /The recording runs from 1970-01-01T00:00:01\.000Z to .*; no row is within from and to/,
    ],
  ])("%s", async ([, bytes, options, expected, message]) => {
    const error = await conversionError(bytes, options);
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(message);
    expect(error.name).toBe("AsiError");
    expect(error).toBeInstanceOf(Error);
  });

  it("includes the report if the whole input was read", async () => {
    const noRow = joined([header, ascii("text")]);
    const { report } = await conversionError(noRow);
    expect(report?.bytes).toEqual({ total: 76, known: 72, unknown: 0, skipped: 4 });
    expect((await conversionError(ascii("text"))).report?.bytes.skipped).toBe(4);
    expect((await conversionError(row)).report).toBeUndefined();
  });

  it("is the same for every kind of source", async () => {
    const bytes = joined([header, row, asiInf({ serial: "OTHER" })]);
    const through = (stream: TransformStream<Uint8Array, unknown> | AsiCsvStream | AsiDecoderStream) =>
      all(new Blob([bytes.slice()]).stream().pipeThrough(stream) as ReadableStream<unknown>);
    for (const attempt of [
      () => wholeBytes(convert(bytes).body),
      () => wholeBytes(repair(bytes).recording),
      () => all(decode(bytes)),
      () => all(decodeRows(bytes)),
      () => inspect(bytes),
      () => through(new AsiCsvStream()),
      () => through(new AsiDecoderStream()),
    ]) {
      expect(await asiError(attempt())).toMatchObject({ code: "MIXED_DEVICES", byteOffset: 172 });
    }
  });

  it("rejects the stream and every open promise of a conversion", async () => {
    const conversion = convert(joined([header, row, asiInf({ serial: "OTHER" })]));
    const error = await asiError(wholeBytes(conversion.body));
    expect(await asiError(conversion.report)).toBe(error);
    expect(await asiError(conversion.fileName)).toBe(error);
    expect((await conversion.info).serial).toBe("TEST-1");

    const refused = convert(row);
    const refusal = await asiError(wholeBytes(refused.body));
    expect(await asiError(refused.info)).toBe(refusal);
  });
});

describe("an AsiError", () => {
  it("has a cause only if there is one", () => {
    expect("cause" in new AsiError("BAD_ROW", "No.")).toBe(false);
    expect(new AsiError("BAD_ROW", "No.", { cause: 5 }).cause).toBe(5);
  });

  it("has a string as its message, for any arguments", () => {
    expect(new AsiError("BAD_ROW", { toString: () => "x" } as never).message).toBe("");
    expect(new AsiError("BAD_ROW", "No.", null as never).message).toBe("No.");
  });
});

describe("a source that returns no bytes is refused", () => {
  it.for<[string, unknown, RegExp]>([
    ["a path", "match.asi", /string.*asi-convert\/node/],
    ["nothing", undefined, /Uint8Array/],
    ["null", null, /Uint8Array/],
    ["a number", 5, /Uint8Array/],
    ["an object", { bytes: header }, /Uint8Array/],
  ])("immediately: %s", ([, source, message]) => {
    for (const attempt of [convert, decode, decodeRows, repair]) {
      const error = thrown(() => attempt(source as Source));
      expect(error).toMatchObject({ code: "BAD_SOURCE" });
      expect((error as AsiError).message).toMatch(message);
    }
    expect(thrown(() => encodeCsv(source as Source, { serial: "X" }))).toMatchObject({ code: "BAD_SOURCE" });
  });

  it.for<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["a single row", { timestamp: 0 }],
  ])("immediately, as rows: %s", ([, rows]) => {
    const error = thrown(() => encode(rows as [], { serial: "X" }));
    expect(error).toMatchObject({ code: "BAD_SOURCE", message: expect.stringMatching(/array/) });
  });

  it("immediately: a locked stream", () => {
    const stream = new ReadableStream<Uint8Array>();
    stream.getReader();
    expect(thrown(() => convert(stream))).toMatchObject({ code: "BAD_SOURCE" });
  });

  it("at its first chunk of strings or numbers", async () => {
    for (const chunks of [["text"], [1, 2, 3], [null]]) {
      const error = await asiError(wholeBytes(convert(chunks as unknown as Source).body));
      expect(error.code).toBe("BAD_SOURCE");
      expect(error.message).toMatch(/chunk/);
    }
  });
});

describe("output before an error is returned for any division of the input", () => {
  it.for<[string, Uint8Array, DecodeOptions]>([
    ["another device", joined([header, row, row, asiInf({ serial: "OTHER" }), row]), {}],
    ["damage, when strict", joined([header, row, row, row.with(20, 99), row]), { strict: true }],
  ])("%s", async ([, bytes, options]) => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const rows: number[] = [];
      const reading = async () => {
        for await (const { timestamp } of decodeRows([bytes.slice(0, cut), bytes.slice(cut)], options)) {
          rows.push(timestamp);
        }
      };
      await expect(reading()).rejects.toBeInstanceOf(AsiError);
      expect(rows).toEqual([1000, 1000]);
    }
  });
});
