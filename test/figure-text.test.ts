import { expect, test } from "vitest";
import { decimalText, percentText } from "../src/pictures/figure-text.js";

test("a share with four decimals is rounded half up in percent, without errors of binary fractions", () => {
  for (let tenThousandths = 0; tenThousandths <= 10_000; tenThousandths += 1) {
    const tenthsOfPercent = Math.floor((tenThousandths + 5) / 10);
    const expected = `${Math.floor(tenthsOfPercent / 10)}.${tenthsOfPercent % 10} %`;
    expect(percentText(tenThousandths / 10_000)).toBe(expected);
  }
});

test("a number is rounded half up by its decimal digits, and keeps trailing zeros", () => {
  expect([38.15, 2.005, 7, 1852.5].map((value) => decimalText(value, 2))).toEqual([
    "38.15",
    "2.01",
    "7.00",
    "1852.50",
  ]);
  expect([38.15, 0.25, 1234.05].map((value) => decimalText(value, 1))).toEqual(["38.2", "0.3", "1234.1"]);
});
