import { describe, expect, it, vi } from "vitest";
import { readSheet } from "../../src/squad/sheet.js";

const cells = (file: Uint8Array | string, ...columns: string[]) =>
  readSheet(file).rows.map(({ line, cell }) => [line, ...columns.map(cell)]);

describe("a table from a spreadsheet is read", () => {
  it("with commas, semicolons or tabs", () => {
    for (const mark of [",", ";", "\t"]) {
      expect(cells(`player${mark}serial\nKunz${mark}TRK-1\n`, "player", "serial")).toEqual([
        [2, "Kunz", "TRK-1"],
      ]);
    }
  });

  it("with the delimiter that Excel writes above the header", () => {
    expect(cells("sep=;\r\nplayer;serial\r\nKunz;TRK-1\r\n", "player")).toEqual([[3, "Kunz"]]);
  });

  it("in UTF-8 with a byte order mark, in UTF-16, and in Windows-1252", () => {
    const text = "player\r\nMüller\r\n";
    const utf16 = Uint8Array.from([
      0xff,
      0xfe,
      ...new Uint8Array(Uint16Array.from([...text], (c) => c.charCodeAt(0)).buffer),
    ]);
    const windows = Uint8Array.from([...text], (c) => c.charCodeAt(0));
    for (const file of [new TextEncoder().encode(`\uFEFF${text}`), utf16, windows]) {
      expect(cells(file, "player")).toEqual([[2, "Müller"]]);
    }
  });

  it("with any case, accents, spaces and brackets in its headers", () => {
    expect(readSheet("Player, MAX-HR ,High Speed [km/h],Größe\n").columns).toEqual([
      "player",
      "max_hr",
      "high_speed_km/h",
      "große",
    ]);
  });

  it("with quoted fields over several lines, and counts lines as an editor does", () => {
    expect(cells('player,number\n"Meier ""Joe""\nof Bern",7\n\nKunz,8', "player", "number")).toEqual([
      [2, 'Meier "Joe"\nof Bern', "7"],
      [5, "Kunz", "8"],
    ]);
  });

  it("with quotes that follow white space in a field, and quotes as part of a field", () => {
    expect(
      cells('player,number\n \t"Meier, Joe" ,7\n"  ""Kunz""", 8"\n"  ""Lang",9', "player", "number"),
    ).toEqual([
      [2, "Meier, Joe", "7"],
      [3, '"Kunz"', '8"'],
      [4, '"Lang', "9"],
    ]);
  });

  it("in time proportional to its length, for any number of quotes in a field", () => {
    const trim = vi.spyOn(String.prototype, "trim");
    try {
      for (const unit of ['a"', 'a""', '" "', ' "a" ']) {
        trim.mockClear();
        const text = `player\n${unit.repeat(2000)}\n`;
        readSheet(text);
        const characters = trim.mock.contexts.reduce<number>(
          (sum, context) => sum + String(context).length,
          0,
        );
        expect(characters).toBeGreaterThan(0);
        expect(characters).toBeLessThan(3 * text.length);
      }
    } finally {
      trim.mockRestore();
    }
  });

  it("up to the first row or cell beyond the limits of a table", () => {
    const table = (rows: number, hint = "") =>
      readSheet(`${hint}player,serial\n${"Kunz,1\n\n".repeat(rows)}`);
    for (const hint of ["", "sep=,\n"]) {
      const most = table(10_000, hint);
      expect([most.rows.length, most.isTooLarge]).toEqual([10_000, false]);
      const large = table(300_000, hint);
      expect([large.rows.length, large.isTooLarge]).toEqual([10_001, true]);
    }
    const wide = (before: string, cells: number) =>
      readSheet(`${before}${"x,".repeat(cells - 1)}x\nKunz,1\n`);
    for (const before of ["", "player\n"]) {
      expect(wide(before, 1_000).isTooLarge).toBe(false);
      const large = wide(before, 500_000);
      const widest = Math.max(large.columns.length, ...large.rows.map(({ fields }) => fields.length));
      expect([widest, large.isTooLarge]).toEqual([1_001, true]);
      expect(wide(before, 1_001).isTooLarge).toBe(true);
    }
    expect(readSheet(",".repeat(500_000)).isTooLarge).toBe(true);
  });

  it("without rows from an empty file", () => {
    expect(readSheet(new Uint8Array()).columns).toEqual([]);
    expect(readSheet(";;\n;;\n").rows).toEqual([]);
  });
});
