import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, it } from "vitest";
import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  decode,
  decodeBeats,
  decodeEcg,
  decodeRows,
  decodeTrack,
  encode,
  inspect,
  repair,
  type Source,
} from "../src/index.js";
import { convertToFile, encodeCsv } from "../src/node.js";
import { pieces } from "./drive.js";
import { fixture } from "./fixture-files.js";
import { ascii, joined } from "./frames.js";
import { expectSame } from "./same.js";
import { chunks, later, streamOf, Watched } from "./watched-source.js";
import { all, csvRows, rejection, thrown, wholeBytes, wholeColumns, wholeText } from "./whole.js";

const golden = fixture("valid/hour-without-hr");
const chunkBytes = 10_000;

/** Every kind of source, with the same bytes. */
const kinds: [string, (bytes: Uint8Array) => Source][] = [
  ["Uint8Array", (bytes) => bytes],
  [
    "Uint8Array inside a larger buffer",
    (bytes) => joined([ascii("before"), bytes, ascii("behind")]).subarray(6, -6),
  ],
  ["Buffer", (bytes) => Buffer.from(bytes)],
  ["ArrayBuffer", (bytes) => bytes.slice().buffer],
  ["ArrayBuffer from a different realm", (bytes) => ofAnotherRealm(bytes)],
  ["array of ArrayBuffer", (bytes) => [bytes.slice().buffer] as unknown as Source],
  ["Blob", (bytes) => new Blob([bytes.slice(0, 99), bytes.slice(99)])],
  ["ReadableStream", (bytes) => streamOf(pieces(bytes, chunkBytes))],
  ["byte stream", (bytes) => new Blob([bytes.slice()]).stream()],
  ["Response", (bytes) => new Response(bytes.slice())],
  ["body of a Response", (bytes) => new Response(bytes.slice()).body ?? []],
  ["AsyncIterable", (bytes) => later(pieces(bytes, chunkBytes))],
  ["Iterable", (bytes) => pieces(bytes, chunkBytes)],
  ["array of chunks", (bytes) => [...pieces(bytes, chunkBytes)]],
  ["Node.js Readable", (bytes) => Readable.from(pieces(bytes, chunkBytes))],
];

const gpx = ascii(
  `<gpx version="1.1"><trk><trkseg>${[0, 1]
    .map((second) => `<trkpt lat="1" lon="2"><time>1970-01-01T00:00:0${second}Z</time></trkpt>`)
    .join("")}</trkseg></trk></gpx>`,
);

const folder = mkdtempSync(join(tmpdir(), "asi-sources-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.for(kinds)("a source may be: %s", ([, sourceOf]) => {
  it("for convert, decode, decodeRows, inspect and repair", async () => {
    const { bytes, csv, expectation } = golden;
    const conversion = convert(sourceOf(bytes));
    expectSame(await wholeText(conversion.body), csv, "csv");
    expect(await conversion.report).toEqual(expectation.report);
    const { timestampMs } = wholeColumns(await all(decode(sourceOf(bytes))));
    const rows = csvRows(csv ?? "");
    expectSame(
      timestampMs,
      rows.map(({ timestamp }) => timestamp),
      "columns",
    );
    expectSame(await all(decodeRows(sourceOf(bytes))), rows, "rows");
    expect((await inspect(sourceOf(bytes))).report).toEqual(expectation.report);
    expectSame(await wholeBytes(repair(sourceOf(bytes)).recording), bytes, "repaired");
  });

  it("for convertToFile, encodeCsv, decodeTrack, decodeEcg and decodeBeats", async () => {
    const { bytes, csv, expectation } = golden;
    const output = join(folder, "output.csv");
    await convertToFile(sourceOf(bytes), { output, force: true });
    expectSame(readFileSync(output, "utf8"), csv, "file");
    const recording = encodeCsv(sourceOf(ascii(csv ?? "")), { serial: "X" });
    expect((await inspect(recording)).report.rows).toEqual(expectation.report?.rows);
    const track = decodeTrack(sourceOf(gpx));
    expect(wholeColumns(await all(track)).timestampMs).toEqual([0, 1000]);
    for (const decoding of [decodeEcg(sourceOf(bytes)), decodeBeats(sourceOf(bytes))]) {
      expect(await all<unknown>(decoding)).toEqual([]);
      expect(await decoding.report).toEqual(expectation.report);
    }
  });
});

function ofAnotherRealm(bytes: Uint8Array): ArrayBuffer {
  const buffer: ArrayBuffer = runInNewContext("new ArrayBuffer(length)", { length: bytes.length });
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

describe("a source without bytes is refused immediately, with the required action", () => {
  it("such as a Response that has been read", async () => {
    const response = new Response("x");
    await response.text();
    expect(thrown(() => decode(response))).toMatchObject({
      message: "The body of the Response has been read already; fetch it again.",
    });
  });

  it.for<[string, () => unknown, RegExp]>([
    ["a buffer that has been transferred", transferred, /pass a copy/],
    ["a path", () => "match.asi", /asi-convert\/node/],
    ["nothing", () => undefined, /pass/],
  ])("%s", ([, source, message]) => {
    const error = thrown(() => convert(source() as Source));
    expect(error).toMatchObject({ code: "BAD_SOURCE", message: expect.stringMatching(message) });
  });

  function transferred(): ArrayBuffer {
    const buffer = new ArrayBuffer(8);
    structuredClone(buffer, { transfer: [buffer] });
    return buffer;
  }
});

describe("an error of the source is passed on unchanged", () => {
  const failure = new TypeError("the network is gone");

  it.for<[string, (source: Watched) => Promise<unknown>]>([
    ["convert", (source) => wholeBytes(convert(source.iterable()).body)],
    ["convert of a stream", (source) => wholeBytes(convert(source.stream()).body)],
    ["convert of a Node.js Readable", (source) => wholeBytes(convert(source.readable()).body)],
    ["the report", (source) => reportOf(convert(source.iterable()))],
    ["decode", (source) => all(decode(source.iterable()))],
    ["decodeRows", (source) => all(decodeRows(source.iterable()))],
    ["inspect", (source) => inspect(source.iterable())],
    ["repair", (source) => wholeBytes(repair(source.iterable()).recording)],
    ["AsiCsvStream", (source) => wholeBytes(source.stream().pipeThrough(new AsiCsvStream()))],
    ["AsiDecoderStream", (source) => all(source.stream().pipeThrough(new AsiDecoderStream()))],
  ])("%s", async ([, run]) => {
    expect(await rejection(run(new Watched(chunks.slice(0, 3), failure)))).toBe(failure);
  });

  it("encode and encodeCsv", async () => {
    const rows = (async function* () {
      yield { timestamp: 0, latitude: 0, longitude: 0, speed: 0 };
      throw failure;
    })();
    expect(await rejection(wholeBytes(encode(rows, { serial: "X" })))).toBe(failure);
    const csv = new Watched([ascii("timestamp,latitude,longitude,speed\n1.0,0,0,0\n")], failure);
    expect(await rejection(wholeBytes(encodeCsv(csv.iterable(), { serial: "X" })))).toBe(failure);
  });

  async function reportOf(conversion: ReturnType<typeof convert>): Promise<unknown> {
    await wholeBytes(conversion.body).catch(() => {});
    return conversion.report;
  }
});
