import { describe, expect, it } from "vitest";
import { AsiCsvStream, AsiDecoderStream, convert, decode, decodeRows, encode, repair } from "../src/index.js";
import { chunks, settle, Watched } from "./watched-source.js";

describe("the source is read no faster than the result", () => {
  it("starts to read the source at the first read of the result", async () => {
    for (const open of [convert, decode, decodeRows, repair]) {
      const source = new Watched(chunks);
      open(source.iterable());
      await settle();
      expect(source.pulls).toBe(0);
    }
  });

  it.for<[string, (source: Watched) => ReadableStream<unknown>, number]>([
    ["convert", (source) => convert(source.iterable()).body, 0],
    ["convert of a stream", (source) => convert(source.stream()).body, 0],
    ["convert with a different layout", (source) => convert(source.iterable(), { delimiter: ";" }).body, 0],
    ["repair", (source) => repair(source.iterable()).recording, 0],
    // the queue between two streams holds a chunk
    ["AsiCsvStream", (source) => source.stream().pipeThrough(new AsiCsvStream()), 2],
    ["AsiDecoderStream", (source) => source.stream().pipeThrough(new AsiDecoderStream()), 2],
  ])("%s", async ([, open, held]) => {
    const source = new Watched(chunks);
    const reader = open(source).getReader();
    for (let reads = 1; reads <= 10; reads++) {
      expect((await reader.read()).done).toBe(false);
      await settle();
      expect(source.pulls).toBeLessThanOrEqual(reads + held);
    }
    await reader.cancel();
  });

  it("decode", async () => {
    const source = new Watched(chunks);
    let batches = 0;
    for await (const batch of decode(source.iterable())) {
      batches += 1;
      expect(batch.length).toBe(100);
      await settle();
      expect(source.pulls).toBe(batches);
      if (batches === 10) break;
    }
  });

  it("encode, which reads rows", async () => {
    let read = 0;
    const rows = function* () {
      for (;;) {
        read += 1;
        yield { timestamp: read, latitude: 0, longitude: 0, speed: 0 };
      }
    };
    const reader = encode(rows(), { serial: "X" }).getReader();
    await reader.read(); // the header
    await settle();
    expect(read).toBe(0);
    await reader.read();
    await settle();
    const perChunk = read;
    expect(perChunk).toBeLessThan(10_000);
    await reader.read();
    await settle();
    expect(read).toBe(2 * perChunk);
    await reader.cancel();
  });
});
