import { expect, test } from "vitest";
import { copiedCell, copiedFigure } from "../src/squad/export-table.js";

test("a copied cell is never a formula of a spreadsheet, and a number retains its sign", () => {
  for (const text of ["=1+1", "+1", "-Müller", "-1+cmd|'x'!A0", "@SUM(A1)", "\uff1d1", "\t=1", "-", "- 5"])
    expect(copiedCell(text), text).toMatch(/^'|^ /);
  expect(["-0.4", "-1,234", "12", "≥4", "Müller-Kunz"].map(copiedCell)).toEqual([
    "-0.4",
    "-1,234",
    "12",
    "≥4",
    "Müller-Kunz",
  ]);
  expect(copiedCell("two\tcells\r\nor lines")).toBe("two cells or lines");
});

test("a copied figure is a number for a spreadsheet in the language of the browser", () => {
  const texts = ["10,482", "10.5", "−0.4", "1,234.5 of 24", "150 of 24", "–"];
  expect(texts.map((text) => copiedFigure(text, "."))).toEqual([
    "10482",
    "10.5",
    "-0.4",
    "1234.5",
    "150",
    "–",
  ]);
  expect(texts.map((text) => copiedFigure(text, ","))).toEqual([
    "10482",
    "10,5",
    "-0,4",
    "1234,5",
    "150",
    "–",
  ]);
  expect(copiedCell("-0,4")).toBe("-0,4");
});
