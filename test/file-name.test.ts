import { describe, expect, it } from "vitest";
import { convert, csvFileName } from "../src/index.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { asiError, thrown, wholeBytes } from "./whole.js";

const at = (text: string) => Date.parse(text);

describe("the name of a CSV", () => {
  it.for([
    ["2024-01-02T03:04:05.999Z", "2024-11-12T13:14:15.000Z", "X_20240102T030405_20241112T131415.csv"],
    ["0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z", "X_00000101T000000_00010101T000000.csv"],
    ["-000001-12-31T23:59:59.999Z", "+012345-01-01T00:00:00Z", "X_-00011231T235959_123450101T000000.csv"],
  ] as const)(
    "contains the serial number, start and end in UTC, without fractions of seconds: %s",
    ([start, end, name]) => {
      expect(csvFileName("X", at(start), at(end))).toBe(name);
    },
  );

  it.for<unknown>([Number.NaN, 8.64e15 + 1, "0", null, undefined, new Date(0)])(
    "cannot contain an invalid instant: %o",
    (instant) => {
      for (const [start, end] of [
        [instant, 0],
        [0, instant],
      ]) {
        expect(thrown(() => csvFileName("X", start as number, end as number))).toMatchObject({
          code: "BAD_ARGUMENT",
        });
      }
    },
  );

  it("is refused, like the CSV, for a recording without rows", async () => {
    const { body: csv, fileName } = convert(joined([asiInf(), navPvt({ ...civilTime(0), fixType: 0 })]));
    const error = await asiError(wholeBytes(csv));
    expect(error.code).toBe("NO_SAMPLES");
    expect(await asiError(fileName)).toMatchObject({ code: "NO_SAMPLES", report: error.report });
  });
});
