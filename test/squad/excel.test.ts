import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intervalsFor } from "../../src/squad/periods.js";
import { readPeriods } from "../../src/squad/read-periods.js";
import { readRoster } from "../../src/squad/read-roster.js";
import { examples } from "../long-form.js";

// Changes that Excel, LibreOffice and Numbers make to roster.csv and periods.csv when they save them.

const ROSTER = [
  ["Player", "Serial", "Number", "Position", "Max HR", "Sprint (km/h)"],
  ["Müller", "TRK-1", "7", "MF", "195", "25.2"],
  ["Kunz", "TRK-2", "11", "FW", "", ""],
];
const PERIODS = [
  ["Period", "Start", "End", "Player"],
  ["1st half", "15:00", "15:46", ""],
  ["2nd half", "16:01", "16:49", ""],
  ["2nd half", "16:15", "16:49", "Müller"],
];
const CONTEXT = {
  session: { startMs: Date.UTC(2026, 4, 16, 12, 30), endMs: Date.UTC(2026, 4, 16, 14, 52) },
  timeZone: "Europe/Zurich",
  players: ["Müller", "Kunz"],
};

const utf8 = (text: string) => new TextEncoder().encode(text);
const windows1252 = (text: string) => Uint8Array.from([...text], (character) => character.charCodeAt(0));
function utf16(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length + 2));
  for (const [i, character] of [...`\uFEFF${text}`].entries())
    view.setUint16(2 * i, character.charCodeAt(0), isLittleEndian);
  return new Uint8Array(view.buffer);
}
const lines = (rows: readonly (readonly string[])[], mark: string, end: string) =>
  rows.map((row) => row.join(mark) + end).join("");
const quoted = (rows: readonly (readonly string[])[]) => rows.map((row) => row.map((cell) => `"${cell}"`));
const commaDecimals = (rows: readonly (readonly string[])[]) =>
  rows.map((row) => row.map((cell) => cell.replace(/^(\d+)\.(\d+)$/, "$1,$2")));

type Rows = readonly (readonly string[])[];
const ACCIDENTS: Record<string, (rows: Rows) => Uint8Array> = {
  "plain, as in the documents": (rows) => utf8(lines(rows, ",", "\n")),
  "semicolons and decimal commas, in Windows-1252": (rows) =>
    windows1252(lines(commaDecimals(rows), ";", "\r\n")),
  "CSV UTF-8 with a byte order mark": (rows) => utf8(`\uFEFF${lines(rows, ";", "\r\n")}`),
  "Unicode text: tabs in UTF-16, little-endian": (rows) => utf16(lines(rows, "\t", "\r\n"), true),
  "tabs in UTF-16, big-endian": (rows) => utf16(lines(rows, "\t", "\r\n"), false),
  "a line sep=; above the header": (rows) => utf8(`sep=;\r\n${lines(rows, ";", "\r\n")}`),
  "all fields quoted": (rows) => utf8(lines(quoted(rows), ",", "\r\n")),
  "line ends of old Macs": (rows) => utf8(lines(rows, ";", "\r")),
  "no line end at the end": (rows) => utf8(lines(rows, ",", "\n").trimEnd()),
  "empty rows between and below, empty columns on the right": (rows) =>
    utf8(
      [...rows.flatMap((row) => [row, row.map(() => "")]), ["", "", ""]]
        .map((row) => `${row.join(";")};;;\r\n`)
        .join(""),
    ),
  "capitals, spaces and accents in the header": ([header = [], ...rows]) =>
    utf8(lines([header.map((name) => ` ${name.toUpperCase()} `), ...rows], ";", "\r\n")),
  "no-break spaces around the cells": (rows) =>
    utf8(
      lines(
        rows.map((row) => row.map((cell) => `\u00a0${cell} `)),
        ";",
        "\r\n",
      ),
    ),
  "columns in a different order, and an additional one": (rows) =>
    utf8(
      lines(
        rows.map((row, i) => [i === 0 ? "Remark" : "x", ...row.toReversed()]),
        ";",
        "\r\n",
      ),
    ),
  "umlauts in two characters, as a Mac writes them": (rows) => utf8(lines(rows, ",", "\n").normalize("NFD")),
};

describe.each(Object.entries(ACCIDENTS))("%s", (_, save) => {
  it("is read as the same roster", () => {
    const { roster, problems } = readRoster(save(ROSTER));
    expect(problems).toEqual([]);
    expect(
      roster.players.map(({ name, serials, number, position, maxHr, sprintMPerS }) => [
        name.normalize("NFC"),
        serials,
        number,
        position,
        maxHr,
        sprintMPerS,
      ]),
    ).toEqual([
      ["Müller", ["TRK-1"], "7", "MF", 195, 7],
      ["Kunz", ["TRK-2"], "11", "FW", null, null],
    ]);
  });

  it("is read as the same periods", () => {
    const { periods, problems } = readPeriods(save(PERIODS), CONTEXT);
    expect(problems).toEqual([]);
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const times = (player: string) =>
      periods.map((period) =>
        intervalsFor(period, player).map(({ startMs, endMs }) => `${clock(startMs)}-${clock(endMs)}`),
      );
    // two hours before the local time of the club
    expect(times("Müller")).toEqual([["13:00-13:46"], ["14:15-14:49"]]);
    expect(times("Kunz")).toEqual([["13:00-13:46"], ["14:01-14:49"]]);
  });
});

interface Change {
  at: number;
  kind: "replace" | "insert" | "remove" | "repeat" | "cut";
  byte: number;
}

describe("a file with random damage", () => {
  const change: fc.Arbitrary<Change> = fc.record({
    at: fc.nat(400),
    kind: fc.constantFrom<Change["kind"]>("replace", "insert", "remove", "repeat", "cut"),
    byte: fc.oneof(fc.constantFrom(...utf8('",;\t\r\n-:.*?\0')), fc.nat(255)),
  });

  function mutated(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
    return Uint8Array.from(
      changes.reduce((list: number[], { at: place, kind, byte }) => {
        const at = place % (list.length + 1);
        if (kind === "cut") return list.slice(0, at);
        if (kind === "repeat") return list.concat(list.slice(at)).slice(0, 5000);
        const inserted = kind === "remove" ? [] : [byte];
        return list.slice(0, at).concat(inserted, list.slice(at + (kind === "insert" ? 0 : 1)));
      }, Array.from(bytes)),
    );
  }

  const saved = fc.constantFrom(...Object.values(ACCIDENTS));
  const changes = fc.array(change, { minLength: 1, maxLength: 6 });

  it("is read, or every problem has a line of the file and the required action", () => {
    fc.assert(
      fc.property(saved, changes, (save, wrong) => {
        for (const [rows, read] of [
          [ROSTER, readRoster],
          [PERIODS, (file: Uint8Array) => readPeriods(file, CONTEXT)],
        ] as const) {
          const file = mutated(save(rows), wrong);
          for (const { line, message } of read(file).problems) {
            expect(line).toBeGreaterThanOrEqual(1);
            expect(line).toBeLessThanOrEqual(file.length + 1);
            expect(message).toMatch(/\.$/);
          }
        }
      }),
      { numRuns: examples(3000) },
    );
  });
});
