import { describe, expect, it } from "vitest";
import {
  convert,
  decode,
  type EngineName,
  findRanges,
  inspect,
  type OutputKind,
  type Outputs,
  RecordingReader,
  type RecordingReaderOptions,
  repair,
} from "../src/index.js";
import { pieces } from "./drive.js";
import { fixture, fixtures, fixturesWithRows } from "./fixture-files.js";
import { ascii, asiInf, civilTime, joined, navPvt } from "./frames.js";
import { randomChunks, seededRandom } from "./mutations.js";
import { expectSame } from "./same.js";
import { all, asiError, thrown, wholeBytes, wholeColumns, wholeText } from "./whole.js";

const engines: EngineName[] = ["simd", "scalar", "plain"];
const recording = joined([asiInf(), navPvt(civilTime(1000)), navPvt(civilTime(1100))]);

/** Pushes all chunks and finishes. */
function read<K extends OutputKind>(
  chunks: Iterable<Uint8Array>,
  options: RecordingReaderOptions<K>,
): { outputs: Outputs[K][]; reader: RecordingReader<K> } {
  const reader = new RecordingReader(options);
  const outputs: Outputs[K][] = [];
  for (const chunk of chunks) outputs.push(...reader.push(chunk));
  outputs.push(...reader.finish());
  return { outputs, reader };
}

describe.for(engines)("a reader without streams, on the %s engine", (engine) => {
  it("returns the results of convert, decode, repair and inspect for any division of the input", async () => {
    for (const [seed, { bytes, options, name }] of fixturesWithRows(200_000).entries()) {
      const used = { ...options, engine };
      const chunks = randomChunks(bytes, seededRandom(seed));
      const csv = read(chunks, { ...used, output: "csv" });
      const conversion = convert(bytes, used);
      expectSame(joined(csv.outputs), await wholeBytes(conversion.body), name);
      expect(csv.reader.info).toEqual(await conversion.info);
      expect(csv.reader.result.report).toEqual(await conversion.report);
      expect(csv.reader.result.fileName).toBe(await conversion.fileName);
      const columns = read(chunks, { ...used, output: "columns" });
      expectSame(wholeColumns(columns.outputs), wholeColumns(await all(decode(bytes, used))), name);
      const frames = read(chunks, { ...used, output: "frames" });
      expectSame(joined(frames.outputs), await wholeBytes(repair(bytes, used).recording), name);
      const none = read(chunks, { ...used, output: "none" });
      expect(none.outputs).toEqual([]);
      expect(none.reader.result).toMatchObject(await inspect(bytes, used));
    }
  });

  it("refuses the same input as inspect, repeatedly, with the same code and position", async () => {
    const refused = fixtures.filter(({ expectation: { error } }) => error !== null && error !== "NO_SAMPLES");
    expect(refused.length).toBeGreaterThan(3);
    for (const { bytes, options, name } of refused) {
      const used = { ...options, engine };
      const expected = await asiError(inspect(bytes, used));
      const reader = new RecordingReader({ ...used, output: "none" });
      const error = thrown(() => {
        for (const piece of pieces(bytes, 100)) reader.push(piece);
        reader.finish();
      });
      expect(error, name).toMatchObject({ code: expected.code, byteOffset: expected.byteOffset });
      expect(
        thrown(() => reader.push(bytes)),
        name,
      ).toBe(error);
      expect(
        thrown(() => reader.finish()),
        name,
      ).toBe(error);
      expect(
        thrown(() => reader.result),
        name,
      ).toBe(error);
    }
  });
});

describe("an error in the middle of a chunk", () => {
  const twoDevices = joined([recording, asiInf({ serial: "OTHER" }), navPvt(civilTime(1200))]);

  it("is thrown by the next call if rows precede it", () => {
    const reader = new RecordingReader({ output: "csv" });
    const rows = new TextDecoder().decode(joined(reader.push(twoDevices)));
    expect(rows.split("\n")).toHaveLength(4);
    expect(thrown(() => reader.push(recording))).toMatchObject({ code: "MIXED_DEVICES" });
  });

  it("is thrown immediately if nothing precedes it", () => {
    const reader = new RecordingReader({ output: "csv" });
    expect(thrown(() => reader.push(navPvt()))).toMatchObject({ code: "NOT_A_RECORDING", byteOffset: 0 });
  });

  it("is thrown by finish at the latest", () => {
    const reader = new RecordingReader({ output: "csv" });
    reader.push(twoDevices);
    expect(thrown(() => reader.finish())).toMatchObject({ code: "MIXED_DEVICES" });
  });
});

describe("an error after rows that are returned only at the end of the input", () => {
  it("is thrown by result, and the rows are not lost", () => {
    const overrun = Uint8Array.of(0xb5, 0x62, 0x01, 0x07, 0x00, 0x08);
    const hidden = [navPvt(civilTime(1200)), asiInf({ serial: "OTHER" }), navPvt(civilTime(1300))];
    const reader = new RecordingReader({ output: "columns" });
    const before = reader.push(joined([recording, overrun, ...hidden]));
    expect(before.map(({ length }) => length)).toEqual([2]);
    expect(reader.finish().map(({ length }) => length)).toEqual([1]);
    expect(thrown(() => reader.result)).toMatchObject({ code: "MIXED_DEVICES" });
    expect(thrown(() => reader.finish())).toMatchObject({ code: "MIXED_DEVICES" });
  });
});

describe("a reader returns", () => {
  it("the header as soon as it has been read, and the result at the end", () => {
    const reader = new RecordingReader({ output: "none" });
    expect(reader.info).toBeNull();
    reader.push(recording.subarray(0, 20));
    expect(reader.info).toBeNull();
    reader.push(recording.subarray(20, 80));
    expect(reader.info).toMatchObject({ serial: "TEST-1" });
    expect(thrown(() => reader.result)).toMatchObject({ code: "NOT_READ" });
    reader.push(recording.subarray(80));
    reader.finish();
    expect(reader.result).toMatchObject({ rowsProduced: 2, spans: [{ start: 1000, end: 1100 }] });
  });

  it("the given serial number, at the end of a log without header", () => {
    const { reader } = read([navPvt(civilTime(0))], { output: "none", serial: "LOG-1" });
    expect(reader.info).toMatchObject({ serial: "LOG-1", formatVersion: null });
  });

  it("nothing for an input without a valid frame", async () => {
    const reader = new RecordingReader({ output: "none" });
    reader.push(ascii("no recording"));
    expect(thrown(() => reader.finish())).toMatchObject({ code: "NOT_A_RECORDING", byteOffset: 0 });
    expect(reader.info).toBeNull();
    const { body: csv, info } = convert(ascii("no recording"));
    await asiError(wholeBytes(csv));
    expect(await asiError(info)).toMatchObject({ code: "NOT_A_RECORDING" });
  });

  it("the first and the last row that it returned of each range", () => {
    const times = [0, 1000, 500_000, 501_000, 1_000_000];
    const bytes = joined([asiInf(), ...times.map((ms) => navPvt(civilTime(ms)))]);
    const { result } = read([bytes], { output: "csv" }).reader;
    expect(result.spans).toEqual(findRanges(times).map(({ start, stop }) => ({ start, end: stop })));
  });

  it("no rows, and no error, for a recording without fixes", () => {
    const { outputs, reader } = read([asiInf()], { output: "csv" });
    expect(outputs).toEqual([]);
    expect(reader.result).toMatchObject({ rowsProduced: 0, fileName: null });
  });
});

describe("memory", () => {
  it("can be modified by the caller", async () => {
    const { bytes } = fixture("valid/match-hr");
    const reader = new RecordingReader({ output: "csv" });
    const outputs: Uint8Array[] = [];
    // one buffer for all chunks
    const buffer = new Uint8Array(50_000);
    for (const piece of pieces(bytes, buffer.length)) {
      buffer.set(piece);
      outputs.push(...reader.push(buffer.subarray(0, piece.length)));
      for (const output of outputs) expect(output.byteLength).toBe(output.buffer.byteLength);
    }
    outputs.push(...reader.finish());
    expectSame(joined(outputs), await wholeBytes(convert(bytes).body), "one buffer");
  });

  it("is separate for two simultaneous readers", async () => {
    const [a, b] = [fixture("valid/match-hr"), fixture("valid/hour-without-hr")];
    const readers = [a, b].map(({ bytes }) => ({
      reader: new RecordingReader({ output: "csv" }),
      chunks: [...pieces(bytes, 30_000)],
      outputs: [] as Uint8Array[],
    }));
    for (let i = 0; i < 1000; i++) {
      for (const { reader, chunks, outputs } of readers) {
        const chunk = chunks[i];
        if (chunk !== undefined) outputs.push(...reader.push(chunk));
      }
    }
    for (const { reader, outputs } of readers) outputs.push(...reader.finish());
    expect(readers.map(({ outputs }) => new TextDecoder().decode(joined(outputs)))).toEqual([a.csv, b.csv]);
  });

  it("does not accumulate for abandoned readers", async () => {
    for (let i = 0; i < 2000; i++) {
      const reader = new RecordingReader({ output: "csv" });
      reader.push(recording.subarray(0, 120));
      if (i % 2 === 0) reader.close();
    }
    expect(await wholeText(convert(recording).body)).toContain("1.100");
  });
});

describe("a reader that has ended", () => {
  it.for<[string, (reader: RecordingReader<"csv">) => unknown]>([
    ["finished", (reader) => reader.finish()],
    ["closed", (reader) => reader.close()],
    ["closed twice", (reader) => [reader.close(), reader.close()]],
  ])("accepts no more input: %s", ([, end]) => {
    const reader = new RecordingReader({ output: "csv" });
    reader.push(recording);
    end(reader);
    for (const attempt of [() => reader.push(recording), () => reader.finish()]) {
      expect(thrown(attempt)).toMatchObject({ code: "ALREADY_READ" });
    }
  });

  it("keeps its result after it is closed", () => {
    const { reader } = read([recording], { output: "none" });
    reader.close();
    expect(reader.result.rowsProduced).toBe(2);
  });
});

describe("invalid arguments are refused", () => {
  it.for<[string, unknown]>([
    ["no options", undefined],
    ["no output", {}],
    ["an output that does not exist", { output: "xml" }],
    ["strict", { output: "csv", strict: 1 }],
    ["columns", { output: "csv", columns: [] }],
    ["a serial number", { output: "none", serial: "../x" }],
  ])("%s", ([, options]) => {
    const attempt = () => new RecordingReader(options as RecordingReaderOptions);
    expect(thrown(attempt)).toMatchObject({ name: "AsiError", code: "BAD_OPTION" });
  });

  it("chunks that are not bytes are refused, and the reader continues", () => {
    const reader = new RecordingReader({ output: "none" });
    for (const chunk of ["text", null, 5, [1, 2]]) {
      expect(thrown(() => reader.push(chunk as never))).toMatchObject({ code: "BAD_SOURCE" });
    }
    reader.push(ascii("noise"));
    reader.push(recording);
    reader.finish();
    expect(reader.result.report.bytes.skipped).toBe(5);
  });
});
