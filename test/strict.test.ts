/** Tests strict reading: it stops at the first damage. */
import { describe, expect, it } from "vitest";
import { convert, decode, decodeRows, inspect } from "../src/index.js";
import { fixture } from "./fixture-files.js";
import { ascii, asiInf, civilTime, joined, navPvt } from "./frames.js";
import { all, asiError, conversionError, wholeText } from "./whole.js";

const header = asiInf();
const row = navPvt(civilTime(1000));

describe("strict reading", () => {
  const torn = row.subarray(0, 40);
  const wrong = joined([row.subarray(0, 99), Uint8Array.of(0)]);
  const overlong = Uint8Array.of(0xb5, 0x62, 0x01, 0x07, 0x01, 0x20);

  it.for<[string, Uint8Array[], number, RegExp]>([
    ["a wrong checksum", [header, row, wrong, row], 172, /checksum.*Omit the option strict/],
    ["a torn frame before others", [header, torn, row, row], 72, /checksum/],
    ["an overlong frame", [header, ascii("text"), overlong, row], 76, /longer than a frame can be/],
    ["a frame that is cut off at the end", [header, row, torn], 172, /beyond the end/],
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
    // without it, the rows before and after the damage are returned
    expect(await all(decodeRows(bytes))).not.toHaveLength(0);
  });

  it("accepts foreign bytes, unknown frames and complete recordings", async () => {
    for (const name of ["damaged/nmea-between-frames", "damaged/rtcm-between-frames", "valid/ublox7"]) {
      const { bytes, csv } = fixture(name);
      expect(await wholeText(convert(bytes, { strict: true }).body)).toBe(csv);
    }
  });
});
