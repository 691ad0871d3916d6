import { describe, expect, it } from "vitest";
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

  it("without rows from an empty file", () => {
    expect(readSheet(new Uint8Array()).columns).toEqual([]);
    expect(readSheet(";;\n;;\n").rows).toEqual([]);
  });
});
