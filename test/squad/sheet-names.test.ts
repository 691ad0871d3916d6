import { expect, it } from "vitest";
import { sheetNames } from "../../src/squad-report/workbook-sheets.js";

it("sheet names are valid in Excel: each is different, has at most 31 characters, and contains no special characters", () => {
  expect(
    sheetNames(["Session", "1st half", "1ST HALF", "a/b:c?", "", "x".repeat(40), "x".repeat(41)]),
  ).toEqual([
    "Session",
    "1st half",
    "1ST HALF (2)",
    "a b c",
    "Period",
    "x".repeat(31),
    `${"x".repeat(27)} (2)`,
  ]);
});
