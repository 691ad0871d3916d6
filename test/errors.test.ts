import { runInNewContext } from "node:vm";
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
  type RecordingHeader,
  repair,
  type SampleBatch,
  type Source,
} from "../src/index.js";
import { samplesToJson } from "../src/json.js";
import {
  convertFile,
  convertToFile,
  encodeCsv,
  inspectFile,
  readFileChunks,
  repairFile,
} from "../src/node.js";
import { fixture } from "./fixture-files.js";
import { ascii, asiInf, civilTime, ecgHr, joined, navPvt, ubxFrame } from "./frames.js";
import { all, asiError, thrown, wholeBytes, wholeText } from "./whole.js";

const header = asiInf();
const row = navPvt(civilTime(1000));

/** The error that the conversion of some bytes ends with. */
function conversionError(bytes: Uint8Array, options: DecodeOptions = {}): Promise<AsiError> {
  return asiError(wholeBytes(convert(bytes, options).csv));
}

describe("an error says what is wrong, where, and what to do", () => {
  it.for<[string, Uint8Array, DecodeOptions, Partial<AsiError>, RegExp]>([
    [
      "no recording: another frame comes first",
      joined([ascii("$GP\r\n"), row, header]),
      {},
      { code: "NOT_A_RECORDING", byteOffset: 5 },
      /plain u-blox log.*give its serial number/,
    ],
    [
      "no recording: no frame at all",
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
      "a serial number that cannot become a file name",
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
      /The recording runs from 1970-01-01T00:00:01\.000Z to .*; from and to leave none of it/,
    ],
  ])("%s", async ([, bytes, options, expected, message]) => {
    const error = await conversionError(bytes, options);
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(message);
    expect(error.name).toBe("AsiError");
    expect(error).toBeInstanceOf(Error);
  });

  it("carries the account where the whole input was read", async () => {
    const noRow = joined([header, ascii("text")]);
    const { report } = await conversionError(noRow);
    expect(report?.bytes).toEqual({ total: 76, known: 72, unknown: 0, skipped: 4 });
    expect((await conversionError(ascii("text"))).report?.bytes.skipped).toBe(4);
    expect((await conversionError(row)).report).toBeUndefined();
  });

  it("is the same through every way in", async () => {
    const bytes = joined([header, row, asiInf({ serial: "OTHER" })]);
    const through = (stream: TransformStream<Uint8Array, unknown> | AsiCsvStream | AsiDecoderStream) =>
      all(new Blob([bytes.slice()]).stream().pipeThrough(stream) as ReadableStream<unknown>);
    for (const attempt of [
      () => wholeBytes(convert(bytes).csv),
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

  it("of a conversion comes out of the stream and of every promise still open", async () => {
    const conversion = convert(joined([header, row, asiInf({ serial: "OTHER" })]));
    const error = await asiError(wholeBytes(conversion.csv));
    expect(await asiError(conversion.report)).toBe(error);
    expect(await asiError(conversion.fileName)).toBe(error);
    expect((await conversion.info).serial).toBe("TEST-1");

    const refused = convert(row);
    const refusal = await asiError(wholeBytes(refused.csv));
    expect(await asiError(refused.info)).toBe(refusal);
  });
});

describe("an AsiError", () => {
  it("has a cause only where there is one", () => {
    expect("cause" in new AsiError("BAD_ROW", "No.")).toBe(false);
    expect(new AsiError("BAD_ROW", "No.", { cause: 5 }).cause).toBe(5);
  });

  it("has a text as its message, whatever it is made with", () => {
    expect(new AsiError("BAD_ROW", { toString: () => "x" } as never).message).toBe("");
    expect(new AsiError("BAD_ROW", "No.", null as never).message).toBe("No.");
  });
});

describe("the texts of a header", () => {
  it("show what is not printable ASCII as replacement characters", async () => {
    const bytes = asiInf({ deviceName: "\u001f ~\u007fA", deviceType: "x".repeat(12), firmwareVersion: "" });
    expect((await inspect(joined([bytes, row]))).info).toMatchObject({
      deviceName: "\ufffd ~\ufffdA",
      deviceType: "x".repeat(12),
      firmwareVersion: "",
    });
  });

  it("stand beside a period of up to 65,535 ms", async () => {
    const rows = [{ timestamp: 0, latitude: 0, longitude: 0, speed: 0 }];
    for (const periodMs of [0, 255, 256, 65_535]) {
      const recording = encode(rows, { serial: "X", periodMs });
      expect((await inspect(recording)).info.periodMs).toBe(periodMs);
    }
  });
});

describe("a serial number that the caller gives", () => {
  it("overrides the headers', also those of two devices, also bad ones", async () => {
    const bytes = joined([asiInf({ serial: "A/B" }), row, asiInf({ serial: "OTHER" }), row]);
    const { csv, fileName, info } = convert(bytes, { serial: "MINE" });
    expect((await wholeText(csv)).split("\n")).toHaveLength(4);
    expect(await fileName).toBe("MINE_19700101T000001_19700101T000001.csv");
    expect((await info).serial).toBe("MINE");
  });

  it("does not override the version or the length of a header", async () => {
    const serial = "MINE";
    expect(await conversionError(asiInf({ formatVersion: 2 }), { serial })).toMatchObject({
      code: "UNSUPPORTED_VERSION",
    });
    expect(await conversionError(asiInf({ payloadBytes: 65 }), { serial })).toMatchObject({
      code: "BAD_HEADER",
    });
  });

  it.for(["", "-A", ".A", "A B", "A/B", "A\\B", "A\n", "Ä", "A:B", "..", "A\0"])(
    "is refused at once: %j",
    (serial) => {
      for (const attempt of [convert, decode, decodeRows, repair]) {
        const error = thrown(() => attempt(joined([header, row]), { serial }));
        expect(error).toMatchObject({ code: "BAD_OPTION" });
        expect((error as AsiError).message).toContain(JSON.stringify(serial));
      }
    },
  );

  it.for(["CON", "nul", "Com1", "LPT9", "aux.", "NUL.1", "prn..x", "COM0.asi"])(
    "is refused where Windows keeps the name for a device: %s",
    async (serial) => {
      for (const attempt of [convert, decode, decodeRows, repair]) {
        expect(thrown(() => attempt(joined([header, row]), { serial }))).toMatchObject({
          code: "BAD_OPTION",
          message: expect.stringMatching(/device on Windows/),
        });
      }
      expect(thrown(() => encode([], { serial }))).toMatchObject({ code: "BAD_OPTION" });
      expect(await conversionError(joined([asiInf({ serial }), row]))).toMatchObject({ code: "BAD_HEADER" });
    },
  );

  it.for(["CONTROL", "COM", "COM10", "NUL-1", "AUX_2", "A.CON", "LPTX"])(
    "may be like the name of a device: %s",
    async (serial) => {
      expect((await inspect(joined([header, row]), { serial })).info.serial).toBe(serial);
      expect((await inspect(joined([asiInf({ serial }), row]))).info.serial).toBe(serial);
    },
  );

  it("has at most the 16 characters that a header can hold", async () => {
    for (const attempt of [convert, decode, decodeRows, repair]) {
      const error = thrown(() => attempt(joined([header, row]), { serial: "A".repeat(17) }));
      expect(error).toMatchObject({ code: "BAD_OPTION", message: expect.stringMatching(/at most 16/) });
    }
    expect(
      await convert(row, { serial: "A".repeat(16) })
        .csv.getReader()
        .read(),
    ).toMatchObject({ done: false });
  });
});

describe("strict reading", () => {
  const torn = row.subarray(0, 40);
  const wrong = joined([row.subarray(0, 99), Uint8Array.of(0)]);
  const overlong = Uint8Array.of(0xb5, 0x62, 0x01, 0x07, 0x01, 0x20);

  it.for<[string, Uint8Array[], number, RegExp]>([
    ["a wrong checksum", [header, row, wrong, row], 172, /checksum.*Omit the option strict/],
    ["a torn frame before others", [header, torn, row, row], 72, /checksum/],
    ["an overlong frame", [header, ascii("text"), overlong, row], 76, /more bytes than a frame can have/],
    ["a frame cut off by the end", [header, row, torn], 172, /past the end/],
  ])("ends at the first damage: %s", async ([, parts, byteOffset, message]) => {
    const bytes = joined(parts);
    const error = await conversionError(bytes, { strict: true });
    expect(error).toMatchObject({ code: "DAMAGED", byteOffset });
    expect(error.message).toMatch(message);
    expect(await asiError(all(decode(bytes, { strict: true })))).toMatchObject({
      code: "DAMAGED",
      byteOffset,
    });
    expect(await asiError(inspect(bytes, { strict: true }))).toMatchObject({ code: "DAMAGED", byteOffset });
    // without it, the rows around the damage come out
    expect(await all(decodeRows(bytes))).not.toHaveLength(0);
  });

  it("accepts foreign bytes, unknown frames and whole recordings", async () => {
    for (const name of ["damaged/nmea-between-frames", "damaged/rtcm-between-frames", "valid/ublox7"]) {
      const { bytes, csv } = fixture(name);
      expect(await wholeText(convert(bytes, { strict: true }).csv)).toBe(csv);
    }
  });
});

describe("an option out of its range is refused before a byte is read", () => {
  it.for<[string, DecodeOptions, RegExp]>([
    ["from is no number", { from: Number.NaN }, /from is not a valid time/],
    ["from is no date", { from: new Date("yesterday") }, /from is not a valid time/],
    ["to is no number", { to: Number.NaN }, /to is not a valid time/],
    ["from is null", { from: null as unknown as number }, /from is not a valid time/],
    ["to is null", { to: null as unknown as Date }, /to is not a valid time/],
    ["a signal that is none", { signal: {} as AbortSignal }, /AbortController/],
    ["half a signal", { signal: { addEventListener() {} } as unknown as AbortSignal }, /AbortController/],
    [
      "the other half",
      { signal: { removeEventListener() {} } as unknown as AbortSignal },
      /signal is not an AbortSignal; give the signal of an AbortController/,
    ],
    ["from is later than to", { from: 2, to: 1 }, /later/],
    ["a negative age", { fillHrMs: -1 }, /fillHrMs is -1.*0 or more/],
    ["a fraction of a millisecond", { fillHrMs: 0.5 }, /fillHrMs is 0.5.*whole/],
    ["an age that is no number", { fillHrMs: Number.NaN }, /fillHrMs is NaN/],
    ["an age as text", { fillHrMs: "Infinity" as unknown as number }, /fillHrMs is "Infinity"/],
    ["an age as an array", { fillHrMs: [5] as unknown as number }, /fillHrMs is an array/],
    ["an age beyond all numbers counted", { fillHrMs: 2 ** 60 }, /fillHrMs/],
    ["no age", { fillHrMs: null as unknown as number }, /fillHrMs is null/],
    ["another engine", { engine: "steam" as "simd" }, /"steam".*simd, scalar or plain/],
  ])("%s", ([, options, message]) => {
    for (const attempt of [convert, decode, decodeRows, repair]) {
      const source = new ReadableStream<Uint8Array>();
      const error = thrown(() => attempt(source, options));
      expect(error).toBeInstanceOf(AsiError);
      expect(error).toMatchObject({ code: "BAD_OPTION", byteOffset: undefined });
      expect((error as AsiError).message).toMatch(message);
      expect(source.locked).toBe(false);
    }
  });

  it("also by inspect, through its promise", async () => {
    expect(await asiError(inspect(header, { fillHrMs: -1 }))).toMatchObject({ code: "BAD_OPTION" });
  });
});

describe("what is no object is refused as options, never with a TypeError", () => {
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

describe("options at the edge of their range", () => {
  const rows = joined([
    header,
    ecgHr({ timeMs: 999, beatsPerMinute: 80 }),
    row,
    navPvt(civilTime(3_600_000)),
  ]);

  it("fill in a heart rate however old it is", async () => {
    const csv = await wholeText(convert(rows, { fillHrMs: Number.POSITIVE_INFINITY, columns: ["hr"] }).csv);
    expect(csv).toBe("hr\n80\n80\n");
  });

  it("are a Date of another realm, and no signal at all", async () => {
    const from = runInNewContext("new Date(1001)") as Date;
    const options = { from, signal: null as unknown as AbortSignal };
    expect((await all(decodeRows(rows, options))).map(({ timestamp }) => timestamp)).toEqual([3_600_000]);
  });

  it.for(["simd", "scalar", "plain"] as const)(
    "take limits between two milliseconds as they are: %s",
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

describe("a source that gives no bytes is refused", () => {
  it.for<[string, unknown, RegExp]>([
    ["a path", "match.asi", /string.*asi-convert\/node/],
    ["nothing", undefined, /Uint8Array/],
    ["null", null, /Uint8Array/],
    ["a number", 5, /Uint8Array/],
    ["an object", { bytes: header }, /Uint8Array/],
  ])("at once: %s", ([, source, message]) => {
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
  ])("at once, as rows: %s", ([, rows]) => {
    const error = thrown(() => encode(rows as [], { serial: "X" }));
    expect(error).toMatchObject({ code: "BAD_SOURCE", message: expect.stringMatching(/array/) });
  });

  it("at once: a stream that somebody else reads", () => {
    const stream = new ReadableStream<Uint8Array>();
    stream.getReader();
    expect(thrown(() => convert(stream))).toMatchObject({ code: "BAD_SOURCE" });
  });

  it("when its first chunk comes: texts, numbers", async () => {
    for (const chunks of [["text"], [1, 2, 3], [null]]) {
      const error = await asiError(wholeBytes(convert(chunks as unknown as Source).csv));
      expect(error.code).toBe("BAD_SOURCE");
      expect(error.message).toMatch(/chunk/);
    }
  });
});

describe("what stands in front of an error comes out, however the input is cut", () => {
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
