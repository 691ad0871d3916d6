import { describe, expect, it } from "vitest";
import { halvesNote } from "../../src/squad/halves-note.js";
import { halvesOf, joinedPeriods, matchOf } from "../../src/squad/matches.js";
import { intervalsFor } from "../../src/squad/periods.js";
import { readPeriods } from "../../src/squad/read-periods.js";
import { START_MS } from "./season-scene.js";

describe("a match", () => {
  const context = {
    session: { startMs: START_MS, endMs: START_MS + 2 * 3_600_000 },
    players: ["Kunz", "Lang"],
  };
  const read = (rows: string) => readPeriods(`period,start,end,player\n${rows}`, context).periods;

  it("has exactly two periods of 30 to 70 minutes, which do not overlap", () => {
    const halves = "2nd half,14:05,14:50,\nWarm-up,13:00,13:20,\n1st half,13:25,14:00,\n";
    expect(halvesOf(read(halves))?.map(({ name }) => name)).toEqual(["1st half", "2nd half"]);
    expect(halvesOf(read("Drill,13:00,13:45,\n"))).toBeNull();
    // quarters of basketball with breaks
    const quarters = "Q1,13:00,13:24,\nQ2,13:26,13:57,\nQ3,14:10,14:36,\nQ4,14:38,15:11,\n";
    expect(halvesOf(read(quarters))).toBeNull();
    expect(halvesOf(read("All,13:00,14:10,\nPart,13:10,13:50,\n"))).toBeNull();
  });

  it("has the halves that the names say, not other periods of that length", () => {
    const names = (rows: string) => halvesOf(read(rows))?.map(({ name }) => name) ?? null;
    const halves = "1st half,13:40,14:15,\n2nd half,14:25,15:00,\n";
    for (const other of ["Warm-up,13:00,13:35,", "Drill A,13:00,13:35,", "X,13:00,13:35,"])
      expect(names(`${other}\n${halves}`), other).toEqual(["1st half", "2nd half"]);
    // the second half lasts 20 minutes, or is not entered
    for (const second of ["", "Half 2,14:25,14:45,\n"])
      expect(names(`Warm-up,13:00,13:35,\nHalf 1,13:40,14:15,\n${second}`)).toBeNull();
    // a small game of two short halves after two drills
    const game = "1st half,14:20,14:30,\n2nd half,14:32,14:42,\n";
    expect(names(`Passing,13:00,13:35,\nPassing 2,13:40,14:15,\n${game}`)).toBeNull();
    expect(names("Half pitch,13:00,13:35,\nGame,13:40,14:15,\n")).toBeNull();
    for (const [first, second] of [
      ["H1", "H2"],
      ["1. Halbzeit", "2. Halbzeit"],
      ["Erste Hälfte", "Zweite Hälfte"],
      ["1ère mi-temps", "2e mi-temps"],
      ["Primo tempo", "Secondo tempo"],
      ["1er tiempo", "2º tiempo"],
      ["Primeiro tempo", "Segundo tempo"],
      ["1e helft", "2e helft"],
      ["1. halvlek", "2. halvlek"],
    ]) {
      const rows = `Game,13:00,13:35,\n${first},13:40,14:15,\n${second},14:25,15:00,\n`;
      expect(names(rows)).toEqual([first, second]);
    }
  });

  it("has extra time of any length beside its halves, which a note says", () => {
    const rows = read("1st half,13:00,13:35,\n2nd half,13:45,14:20,\nExtra time,14:25,14:55,\n");
    const halves = halvesOf(rows);
    expect(halves?.map(({ name }) => name)).toEqual(["1st half", "2nd half"]);
    expect(halvesNote(halves, rows)).toBe("Match is the sum of the two halves, without extra time.");
  });

  it("has halves without names of halves only with a note, and none that have the names of drills", () => {
    const noteOf = (first: string, second: string) => {
      const rows = read(`${first},13:00,13:35,\n${second},13:45,14:20,\nHalbzeit,13:35,13:45,\n`);
      const halves = halvesOf(rows);
      return halves === null ? "none" : halvesNote(halves, rows);
    };
    expect(noteOf("Teil 1", "Teil 2")).toBe("Match is the sum of two periods without names of halves.");
    expect(noteOf("1. Halbzeit", "2. Halbzeit")).toBeNull();
    expect(noteOf("1st half time", "2nd half time")).toBeNull();
    expect(noteOf("1st half", "2nd half continued")).toBeNull();
    for (const drill of ["Drill 2", "Warm-up", "Aufwärmen", "Half court game", "Halbfeld 8v8"])
      expect(noteOf("Teil 1", drill), drill).toBe("none");
  });

  it("has halves without names of halves if the break has a name, and none if there are three parts", () => {
    const names = (rows: string) => halvesOf(read(rows))?.map(({ name }) => name) ?? null;
    for (const pause of ["Halftime", "Half-time break", "Halbzeitpause", "Pause mi-temps", "Break"])
      expect(names(`Part 1,13:00,13:35,\n${pause},13:35,13:36,\nPart 2,13:36,14:10,\n`), pause).toEqual([
        "Part 1",
        "Part 2",
      ]);
    for (const [first, second, third] of [
      ["Primo tempo", "Secondo tempo", "Terzo tempo"],
      ["1er tiempo", "2º tiempo", "3º tiempo"],
      ["1. HZ", "2. HZ", "3. HZ"],
      ["H1", "H2", "H3"],
    ])
      expect(
        names(`${first},13:00,13:30,\n${second},13:35,14:05,\n${third},14:10,14:40,\n`),
        first,
      ).toBeNull();
  });

  it("is the time on the pitch in both halves for each player", () => {
    const halves =
      "1st half,13:00,13:45,\n2nd half,14:00,14:45,\n2nd half,14:00,14:20,Kunz\n1st half,-,-,Lang\n";
    const match = joinedPeriods("match", read(halves), ["Kunz", "Lang"]);
    const minutes = (player: string) =>
      intervalsFor(match, player).map(({ startMs, endMs }) => (endMs - startMs) / 60_000);
    expect([minutes("Kunz"), minutes("Lang")]).toEqual([[45, 20], [45]]);
  });

  it("has a separate table, unless a period has the same name", () => {
    const halves = "1st half,13:00,13:45,\n2nd half,13:45,14:30,\n";
    const match = matchOf(read(halves), ["Kunz"]);
    expect(match?.name).toBe("Match");
    // halves that touch are one interval
    expect(match === null ? [] : intervalsFor(match, "Kunz")).toHaveLength(1);
    expect(matchOf(read(`${halves}MATCH,14:35,14:40,\n`), ["Kunz"])).toBeNull();
    expect(matchOf(read("Drill,13:00,13:45,\n"), ["Kunz"])).toBeNull();
  });
});
