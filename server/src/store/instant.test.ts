import { describe, expect, it } from "vitest";
import { readInstant } from "./instant.js";

describe("an instant as PostgreSQL writes it", () => {
  it.each([
    ["2024-05-04 09:00:00+00", "2024-05-04T09:00:00.000Z"],
    ["2024-05-04 09:00:00.5+00", "2024-05-04T09:00:00.500Z"],
    ["2024-05-04 09:00:00.12+00", "2024-05-04T09:00:00.120Z"],
    ["0001-01-01 00:00:00+00", "0001-01-01T00:00:00.000Z"],
    ["0020-02-03 00:00:00+00", "0020-02-03T00:00:00.000Z"],
    ["9999-12-31 23:59:59.999+00", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, iso) => {
    expect(readInstant(text).toISOString()).toBe(iso);
  });

  it.each([
    "infinity",
    "0044-03-15 00:00:00+00 BC",
    "10000-01-01 00:00:00+00",
    "2024-05-04 09:00:00+02",
    "2024-05-04",
    "",
  ])("%s is refused", (text) => {
    expect(() => readInstant(text)).toThrow(RangeError);
  });
});
