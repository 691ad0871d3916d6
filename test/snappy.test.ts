import fc from "fast-check";
import { snappyUncompress } from "hyparquet";
import { describe, expect, it } from "vitest";
import { SnappyCompressor } from "../src/formats/parquet/snappy.js";
import { seededRandom } from "./mutations.js";
import { expectSame } from "./same.js";

const snappy = new SnappyCompressor();

/** The compressed bytes, decompressed by an independent reader. */
function throughSnappy(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(bytes.length);
  snappyUncompress(snappy.compress(bytes), whole);
  return whole;
}

describe("decompression restores the compressed data", () => {
  const noise = (length: number, values: number) => {
    const random = seededRandom(length + values);
    return Uint8Array.from({ length }, () => random(values));
  };

  it.each<[string, Uint8Array]>([
    ["one byte", Uint8Array.of(7)],
    ["three bytes", Uint8Array.of(7, 7, 7)],
    ["zeros", new Uint8Array(200_000)],
    ["noise", noise(200_000, 256)],
    ["noise of few values", noise(200_000, 3)],
    ["literals at the lengths where their tags change", noise(60 + 61 + 256 + 257, 256)],
    ["whole blocks", noise(131_072, 5)],
    ["a block and one byte", noise(65_537, 5)],
    ["far copies", Uint8Array.from([...noise(30_000, 256), ...noise(30_000, 256)])],
  ])("%s", (_, bytes) => {
    expectSame(throughSnappy(bytes), bytes, "bytes");
  });

  it("for random pieces, repeated at random", () => {
    const piece = fc.uint8Array({ minLength: 1, maxLength: 80 });
    const pieces = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (distinct, order) => {
        const bytes = order.flatMap((which) => {
          const [content, times] = distinct[which % distinct.length] ?? [new Uint8Array(0), 0];
          return Array.from({ length: times }, () => [...content]).flat();
        });
        expect(throughSnappy(Uint8Array.from(bytes))).toEqual(Uint8Array.from(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it("for repeated data, which shrinks, and for noise, which hardly grows", () => {
    expect(snappy.compress(new Uint8Array(200_000)).length).toBeLessThan(10_000);
    expect(snappy.compress(noise(200_000, 256)).length).toBeLessThan(200_100);
  });
});
