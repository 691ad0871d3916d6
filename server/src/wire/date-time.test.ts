import { describe, expect, it } from "vitest";
import {
  dateTimeProblem,
  instantProblem,
  isDate,
  isStorable,
  parseDateTime,
  parseInstant,
} from "./date-time.js";

const at = (text: string) => {
  const timestampMs = parseDateTime(text);
  return timestampMs === undefined ? undefined : new Date(timestampMs).toISOString();
};

describe("date-times in the API", () => {
  it.each([
    ["2024-01-01T06:00:00.000Z", "2024-01-01T06:00:00.000Z"],
    ["2024-01-01T06:00:00Z", "2024-01-01T06:00:00.000Z"],
    ["2024-01-01t06:00:00z", "2024-01-01T06:00:00.000Z"],
    ["2024-01-01T06:00:00.1239Z", "2024-01-01T06:00:00.123Z"],
    ["2024-01-01T06:00:00.5+0100", "2024-01-01T05:00:00.500Z"],
    ["2024-01-01T06:00:00-05:30", "2024-01-01T11:30:00.000Z"],
    ["2024-01-01 06:00:00", "2024-01-01T06:00:00.000Z"],
    ["2024-02-29T06:00", "2024-02-29T06:00:00.000Z"],
    ["20240511T203000Z", "2024-05-11T20:30:00.000Z"],
    ["20240511T203000", "2024-05-11T20:30:00.000Z"],
    ["20240511t2030", "2024-05-11T20:30:00.000Z"],
    ["20240511T203000.25-0230", "2024-05-11T23:00:00.250Z"],
    ["2024-05-11T20:30:00-02", "2024-05-11T22:30:00.000Z"],
    ["20240511T203000+02", "2024-05-11T18:30:00.000Z"],
    ["2024-05-11T20:30:00+23:59", "2024-05-10T20:31:00.000Z"],
    ["2999-12-31T23:59:59.000Z", "2999-12-31T23:59:59.000Z"],
  ])("%s is %s", (text, instant) => {
    expect(at(text)).toBe(instant);
  });

  it.each([
    "2023-02-29T06:00:00Z",
    "2024-01-01",
    "2024-01-01T24:00:00Z",
    "2024-01-01T06:60:00Z",
    "2024-01-01T06:00:00+24:00",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "99999-01-01T00:00:00Z",
    "1704088800000",
    "20240511",
    "20240511 203000",
    "20240511T20:30:00Z",
    "2024-05-11T203000Z",
    "20240231T203000Z",
    "2024-05-11T20:30:00+2",
    "2024-05-11T20:30:00-24",
    "2024-05-11T20:30:00Z+01",
    "x2024-05-11T20:30:00Z",
    "x20240511T203000Z",
    "2024-05-11T20:30:00+01:60",
    "2024-05-11T20:30:00+01:0",
    "9999-12-31T23:59:59-00:01",
    "now",
    "",
  ])("%s is not a date-time", (text) => {
    expect(at(text)).toBeUndefined();
  });

  it.each(["2024-05-11T20:30:00 01:00", "2024-05-11 20:30:00 0100", "20240511T203000 01"])(
    "%s is refused with the hint that its + was lost",
    (text) => {
      expect(at(text)).toBeUndefined();
      expect(dateTimeProblem(text)).toContain("%2B");
      expect(instantProblem(text)).toContain("%2B");
    },
  );

  it.each(["soon", "2024-05-11T20:30:00 1", "2024-05-11T25:30:00 01:00", 12, undefined])(
    "%s is refused with the expected form",
    (value) => {
      expect(dateTimeProblem(value)).toBe("Expected a date-time such as 2024-01-01T06:00:00.000Z.");
      expect(instantProblem(value)).toBe(
        "Expected milliseconds since 1970, or a date-time such as 2024-01-01T06:00:00.000Z.",
      );
    },
  );

  it.each([
    ["0", 0],
    ["-5", -5],
    ["1704088800000", 1_704_088_800_000],
    ["2024-01-01T06:00:00Z", 1_704_088_800_000],
    ["20240101", 20_240_101],
    ["-62135596800000", -62_135_596_800_000],
    ["253402300799999", 253_402_300_799_999],
    ["-62135596800001", undefined],
    ["253402300800000", undefined],
    ["1.5", undefined],
    ["--5", undefined],
    ["5 ", undefined],
    ["", undefined],
  ])("the instant %j is %s", (text, timestampMs) => {
    expect(parseInstant(text)).toBe(timestampMs);
  });

  it("must have a four-digit year of at least 1", () => {
    expect([Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.parse("0001-01-01")].every(isStorable)).toBe(true);
    expect([Date.UTC(10_000, 0), Date.parse("0001-01-01") - 1, Number.NaN].some(isStorable)).toBe(false);
  });

  it("must be a day of the calendar", () => {
    expect(["2024-02-29", "1990-12-31"].every(isDate)).toBe(true);
    expect(
      [
        "2023-02-29",
        "1990-13-01",
        "1990-1-1",
        "0000-01-01",
        "1990-12-31T",
        "x1990-12-31",
        "1990-12",
        "1990",
      ].some(isDate),
    ).toBe(false);
  });
});
