import { readFileSync } from "node:fs";
import { findDamage } from "asi-convert";
import { describe, expect, it } from "vitest";
import { groupDamage } from "../src/recording/group-damage.js";
import { fixturePath } from "./fixtures.js";

describe("the damaged places of a recording", () => {
  const whole = readFileSync(fixturePath("valid/match-hr.asi"));

  it("do not exist in an undamaged recording", async () => {
    expect(await findDamage(new Blob([whole]), { serial: "X" })).toEqual({ places: [], hasMore: false });
  });

  it("include the last frame if the file is truncated", async () => {
    const { places } = await findDamage(new Blob([whole.subarray(0, -5)]), { serial: "X" });
    expect(places).toHaveLength(1);
    const [last] = places;
    expect(whole.subarray(last?.byteOffset).subarray(0, 2).toString("hex")).toBe("b562");
    expect(whole.length - (last?.byteOffset ?? 0)).toBeLessThan(110);
  });

  it("form one row of the list, with their number and bytes, if they are within a second", async () => {
    const torn = Buffer.from(whole);
    // every second one of ten frames within a second is damaged, and one frame long after them
    const frames = framesFrom(whole, whole.indexOf(SYNC, 200_000));
    const damaged = [...[0, 2, 4, 6, 8].map((i) => frames[i] ?? 0), frames[500] ?? 0];
    for (const at of damaged) torn.writeUInt8(torn.readUInt8(at + 10) ^ 1, at + 10);
    const { places } = await findDamage(new Blob([torn]), { serial: "X" });
    expect(places.map(({ byteOffset }) => byteOffset)).toEqual(damaged);
    const rows = groupDamage(places);
    expect(rows).toEqual([
      { count: 5, firstByte: damaged[0], lastByte: damaged[4], afterMs: places[0]?.afterMs },
      { count: 1, firstByte: damaged[5], lastByte: damaged[5], afterMs: places[5]?.afterMs },
    ]);
  });

  it("form separate rows if they are a second apart, or precede the first sample", () => {
    const after = (afterMs: number | null) => ({ byteOffset: 0, afterMs });
    const counts = (...times: (number | null)[]) => groupDamage(times.map(after)).map(({ count }) => count);
    expect(counts(0, 999, 1000)).toEqual([2, 1]);
    // measured from the first place of the row, so a long disturbance has several rows
    expect(counts(0, 600, 1200, 1800)).toEqual([2, 2]);
    expect(counts(null, null, 0)).toEqual([2, 1]);
    expect(counts(5000, 1000)).toEqual([1, 1]);
  });
});

const SYNC = Buffer.from([0xb5, 0x62]);

/**
 * Offsets of the frames after a given one. A frame has a sync, class and id, two bytes of length, the payload, and two bytes of checksum.
 */
function framesFrom(bytes: Buffer, first: number): number[] {
  const offsets: number[] = [];
  for (let at = first; at < bytes.length; at += 8 + bytes.readUInt16LE(at + 4)) offsets.push(at);
  return offsets;
}
