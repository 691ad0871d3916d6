import { describe, expect, it } from "vitest";
import { isDate, parseDateTime } from "./date-time.js";

const at = (text: string) => {
  const timestampMs = parseDateTime(text);
  return timestampMs === undefined ? undefined : new Date(timestampMs).toISOString();
};

describe("date-times of the wire", () => {
  it.each([
    ["2024-01-01T06:00:00.000Z", "2024-01-01T06:00:00.000Z"],
    ["2024-01-01T06:00:00Z", "2024-01-01T06:00:00.000Z"],
    ["2024-01-01t06:00:00z", "2024-01-01T06:00:00.000Z"],
    ["2024-01-01T06:00:00.1239Z", "2024-01-01T06:00:00.123Z"],
    ["2024-01-01T06:00:00.5+0100", "2024-01-01T05:00:00.500Z"],
    ["2024-01-01T06:00:00-05:30", "2024-01-01T11:30:00.000Z"],
    ["2024-01-01 06:00:00", "2024-01-01T06:00:00.000Z"],
    ["2024-02-29T06:00", "2024-02-29T06:00:00.000Z"],
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
    "now",
    "",
  ])("%s is none", (text) => {
    expect(at(text)).toBeUndefined();
  });

  it("knows the days of the calendar", () => {
    expect(["2024-02-29", "1990-12-31"].every(isDate)).toBe(true);
    expect(["2023-02-29", "1990-13-01", "1990-1-1", "0000-01-01"].some(isDate)).toBe(false);
  });
});
