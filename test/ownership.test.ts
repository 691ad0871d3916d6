import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samplesToJson } from "../src/api/json.js";
import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  decode,
  encode,
  repair,
  rowsOf,
  type SampleBatch,
} from "../src/index.js";
import { encodeCsv, readFileChunks } from "../src/node.js";
import { pieces } from "./drive.js";
import { fixture } from "./fixture-files.js";
import { ascii, joined } from "./frames.js";
import { streamOf } from "./watched-source.js";
import { all, wholeBytes, wholeText } from "./whole.js";

const match = fixture("valid/match-hr");
const header = { serial: "OWN-1" };

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "asi-owned-"));
  path = join(folder, "match.asi");
  writeFileSync(path, match.bytes);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the chunks of a file belong to the receiver", () => {
  it("when they are collected in an array", async () => {
    expectEqual(joined(await all(readFileChunks(path))), match.bytes, "collected");
  });

  it("when a stream reads ahead", async () => {
    const chunks = readFileChunks(path);
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
      },
      { highWaterMark: 16 },
    );
    // time to read ahead
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expectEqual(await wholeText(convert(stream).body), match.csv, "read ahead");
  });

  it("when a stream is teed and one branch is read first", async () => {
    const [first, second] = streamFrom(readFileChunks(path)).tee();
    expectEqual(await wholeBytes(first), match.bytes, "first branch");
    expectEqual(await wholeText(convert(second).body), match.csv, "second branch");
  });

  it("when a Node.js Readable buffers them", async () => {
    const readable = Readable.from(readFileChunks(path), { highWaterMark: 16 });
    expectEqual(joined(await readable.toArray()), match.bytes, "Readable");
  });
});

function streamFrom(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
}

describe("output may be overwritten or transferred before the next read", () => {
  const csv = () => ascii(match.csv ?? "");
  const rows = async () => rowsOfAll(await all(decode(match.bytes)));

  it.for<[string, () => AsyncIterable<Uint8Array>]>([
    ["readFileChunks", () => readFileChunks(path)],
    ["convert", () => convert(pieces(match.bytes, 9_999)).body],
    ["convert, another layout", () => convert(pieces(match.bytes, 99_999), { delimiter: ";" }).body],
    ["repair", () => repair(pieces(match.bytes, 9_999)).recording],
    ["encodeCsv", () => encodeCsv(csv(), header)],
    ["AsiCsvStream", () => streamOf(pieces(match.bytes, 9_999)).pipeThrough(new AsiCsvStream())],
  ])("bytes of %s", async ([, run]) => {
    const expected = await wholeBytes(run());
    for (const spoil of [overwrite, transfer]) {
      const copies: Uint8Array[] = [];
      for await (const chunk of run()) {
        copies.push(chunk.slice());
        spoil(chunk);
      }
      expectEqual(joined(copies), expected, spoil.name);
    }
  });

  it("bytes of encode", async () => {
    const given = await rows();
    const expected = await wholeBytes(encode(given, header));
    for (const spoil of [overwrite, transfer]) {
      const copies: Uint8Array[] = [];
      for await (const chunk of encode(given, header)) {
        copies.push(chunk.slice());
        spoil(chunk);
      }
      expectEqual(joined(copies), expected, spoil.name);
    }
  });

  it.for<[string, () => AsyncIterable<SampleBatch>]>([
    ["decode", () => decode(pieces(match.bytes, 9_999))],
    ["AsiDecoderStream", () => streamOf(pieces(match.bytes, 9_999)).pipeThrough(new AsiDecoderStream())],
  ])("columns of %s", async ([, run]) => {
    const expected = await rows();
    for (const spoil of [overwrite, transfer]) {
      const copies: SampleBatch[] = [];
      for await (const batch of run()) {
        copies.push(structuredClone(batch));
        spoil(new Uint8Array(batch.timestampMs.buffer));
      }
      expectEqual(rowsOfAll(copies), expected, spoil.name);
    }
  });

  it("bytes of samplesToJson", async () => {
    const [batch] = await all(decode(match.bytes));
    if (batch === undefined) throw new Error("the match has rows");
    for (const engine of ["simd", "scalar", "plain"] as const) {
      const expected = samplesToJson(batch, { engine }).slice();
      for (const spoil of [overwrite, transfer]) {
        spoil(samplesToJson(batch, { engine }));
        expectEqual(samplesToJson(batch, { engine }), expected, `${engine}, ${spoil.name}`);
      }
    }
  });
});

function rowsOfAll(batches: readonly SampleBatch[]) {
  return batches.flatMap((batch) => [...rowsOf(batch)]);
}

function overwrite(bytes: Uint8Array): void {
  bytes.fill(0xee);
}

function transfer({ buffer }: Uint8Array): void {
  structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
}

// Reports only the position of a difference, because printing a difference of megabytes takes minutes.
function expectEqual(actual: unknown, expected: unknown, where: string): void {
  expect(isDeepStrictEqual(actual, expected), where).toBe(true);
}
