import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { asLibraryError, unpacked } from "./gzip.js";

const tooLarge = () => new Error("too large");

/** Creates a stream that counts its reads. It fails after too many, because a loop that blocks the event loop would never end. */
function countedStream(): { stream: Readable; reads: () => number } {
  const stream = new Readable({ read() {} });
  const read = stream.read.bind(stream);
  let reads = 0;
  stream.read = (size?: number) => {
    reads += 1;
    if (reads > 1000) throw new Error("reads without waiting");
    return read(size);
  };
  return { stream, reads: () => reads };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const contentOf = async (stream: Readable) => Buffer.concat(await stream.toArray()).toString();

describe("a file that may be compressed", () => {
  it.each([
    ["compressed", gzipSync("a recording"), "a recording"],
    ["not compressed", Buffer.from("a recording"), "a recording"],
    ["of two bytes", Buffer.from([0x1f, 0x8b]), "\x1f\ufffd"],
    ["empty", Buffer.alloc(0), ""],
  ])("is read when it arrives byte by byte: %s", async (_, bytes, content) => {
    const { stream } = countedStream();
    const received = unpacked(stream, 1000, tooLarge).then(contentOf);
    for (const byte of bytes) {
      await nextTurn();
      stream.push(Buffer.from([byte]));
    }
    stream.push(null);
    expect(await received).toBe(content);
  });

  it("does not block the event loop when a client has sent only one byte", async () => {
    const { stream, reads } = countedStream();
    stream.push(Buffer.from([0x1f]));
    const opened = unpacked(stream, 1000, tooLarge);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    expect(reads()).toBeLessThan(10);
    stream.destroy();
    await opened;
  });

  it("is refused if it exceeds the limit on decompressed bytes, or if it is damaged", async () => {
    const bomb = Readable.from([gzipSync(Buffer.alloc(100_000))]);
    await expect(contentOf(await unpacked(bomb, 1000, tooLarge))).rejects.toThrow("too large");
    const cut = Readable.from([gzipSync("a recording").subarray(0, 20)]);
    const error = await contentOf(await unpacked(cut, 1000, tooLarge)).catch(asLibraryError);
    expect(error).toMatchObject({ code: "BAD_GZIP" });
  });
});
