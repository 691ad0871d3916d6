import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { findDamage } from "../src/index.js";
import { MATCH } from "./asi-process.js";
import { asiError } from "./whole.js";

const whole = new Uint8Array(MATCH.bytes);
const SYNC = [0xb5, 0x62];

/** Offsets of the first frames after the header. */
function framesOf(count: number): number[] {
  const offsets: number[] = [];
  const isSync = (at: number) => whole[at] === SYNC[0] && whole[at + 1] === SYNC[1];
  let at = 0;
  while (!isSync(at)) at += 1;
  for (; offsets.length < count; at += 8 + (whole[at + 4] ?? 0) + 256 * (whole[at + 5] ?? 0))
    offsets.push(at);
  return offsets;
}

/** The recording with a wrong byte in every second frame after the first ones. */
function torn(count: number): { bytes: Uint8Array<ArrayBuffer>; places: number[] } {
  const places = framesOf(10 + 2 * count).filter((_, i) => i >= 10 && i % 2 === 0);
  const bytes = whole.slice();
  for (const at of places) bytes[at + 10] = (bytes[at + 10] ?? 0) ^ 1;
  return { bytes, places };
}

describe("findDamage", () => {
  it("finds nothing in an undamaged recording", async () => {
    expect(await findDamage(whole)).toEqual({ places: [], hasMore: false });
  });

  it("finds up to 100 places, in bytes and in a Blob", async () => {
    const { bytes, places } = torn(100);
    for (const recording of [bytes, bytes.buffer, new Blob([bytes])]) {
      const found = await findDamage(recording);
      expect([found.places.map(({ byteOffset }) => byteOffset), found.hasMore]).toEqual([places, false]);
      const times = found.places.map(({ afterMs }) => afterMs);
      expect(times).toEqual(times.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
    }
    const more = await findDamage(torn(101).bytes);
    expect([more.places.length, more.hasMore]).toEqual([100, true]);
  });

  it.each([
    ["nothing", new Uint8Array(0), "NOT_A_RECORDING"],
    ["a compressed recording", new Uint8Array(gzipSync(whole)), "NOT_A_RECORDING"],
    [
      "text with the first bytes of a frame",
      new TextEncoder().encode("no recording").fill(0xb5, 3, 4),
      "NOT_A_RECORDING",
    ],
    ["text", "text", "BAD_SOURCE"],
  ])("throws like decode: %s", async (_, source, code) => {
    expect((await asiError(findDamage(source as Uint8Array))).code).toBe(code);
  });

  it("ends when it is aborted", async () => {
    const signal = AbortSignal.abort();
    await expect(findDamage(torn(3).bytes, { signal })).rejects.toThrow(/abort/i);
  });
});
