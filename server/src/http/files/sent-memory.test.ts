import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SentMemory } from "./sent-memory.js";

const PIECES = 200;

/** Yields pieces of different lengths, each filled with its number. */
async function* numbered(allocate: (length: number) => Uint8Array) {
  for (let number = 0; number < PIECES; number++) yield allocate(1 + ((number * 7919) % 65_536)).fill(number);
}

/** Reads a piece only after a delay, as a connection to a slow client does. */
function slowReader(read: Buffer[]): Writable {
  return new Writable({
    highWaterMark: 300_000,
    async write(chunk: Buffer, _, done) {
      await sleep(read.length % 3);
      read.push(Buffer.from(chunk));
      done();
    },
  });
}

async function sent(follows: boolean) {
  const memory = new SentMemory();
  const used = new Set<ArrayBufferLike>();
  const allocate = (length: number) => {
    const piece = memory.allocate(length);
    used.add(piece.buffer);
    return piece;
  };
  const read: Buffer[] = [];
  const file = Readable.from(memory.given(numbered(allocate)), { objectMode: false, highWaterMark: 65_536 });
  const reader = slowReader(read);
  if (follows) memory.follow(file, reader);
  await pipeline(file, reader);
  return { bytes: Buffer.concat(read), used: used.size };
}

describe("the memory of a sent piece", () => {
  it("is reused only after the reader has processed the piece", async () => {
    const expected: Uint8Array[] = [];
    for await (const piece of numbered((length) => new Uint8Array(length))) expected.push(piece);
    const { bytes, used } = await sent(true);
    expect(bytes.equals(Buffer.concat(expected))).toBe(true);
    expect(used).toBeLessThanOrEqual(16);
  });

  it("is not reused if no stream is followed", async () => {
    expect((await sent(false)).used).toBe(PIECES);
  });
});
