import { expect, it } from "vitest";
import { playerOfRecording } from "../../src/squad/index.js";
import { readRoster, unknownTrackers, wrongLines } from "../../src/squad/sheets.js";

const { roster } = readRoster("player,serial,file\nKeller,TRK-101,\nKunz,TRK-111 TRK-131,\nVogel,,vogel*\n");
const found = (...recordings: [serial: string, player: string | null, fileName?: string][]) =>
  unknownTrackers(
    roster,
    recordings.map(([serial, player, fileName = `${serial}.asi`]) => ({ serial, fileName, player })),
  ).map(({ serial, likely }) => [serial, ...likely.map(({ player, named }) => `${player.name}: ${named}`)]);

it("the suggestion for an unknown tracker names the absent players whose serial numbers are most similar to that of a recording without a player", () => {
  expect(found(["TRK-101", "Keller"], ["ABC-7", null], ["trk-113", null], ["TRK-200", null])).toEqual([
    ["ABC-7"],
    ["trk-113", "Kunz: TRK-111 or TRK-131"],
    ["TRK-200"],
  ]);
});

it("the suggestion prefers the absent player whose name is in the name of the file", () => {
  expect(found(["TRK-101", "Keller"], ["TRK-113", null, "07 Vogel.asi.gz"])).toEqual([
    ["TRK-113", "Vogel: vogel*"],
  ]);
  expect(found(["TRK-101", "Keller"], ["TRK-113", null, "07-Vogelsang.asi"])).toEqual([
    ["TRK-113", "Kunz: TRK-111 or TRK-131"],
  ]);
});

it("a roster line is reported as wrong only if no other tracker can belong to the same player", () => {
  const lines = (...serials: string[]) =>
    wrongLines(
      unknownTrackers(roster, [
        { serial: "TRK-101", fileName: "1.asi", player: "Keller" },
        ...serials.map((serial) => ({ serial, fileName: `${serial}.asi`, player: null })),
      ]),
    ).map(({ serial, player: { name, line } }) => [serial, name, line]);
  expect(lines("TRK-113")).toEqual([["TRK-113", "Kunz", 3]]);
  expect(lines("TRK-113", "TRK-112")).toEqual([]);
});

it("the last recording is assigned to the last absent player, regardless of the numbers", () => {
  expect(found(["TRK-101", "Keller"], ["TRK-111", "kunz"], ["X9", null])).toEqual([["X9", "Vogel: vogel*"]]);
});

it("no one is suggested if every recording has a player or every player has a recording", () => {
  expect(found(["TRK-101", "Keller"])).toEqual([]);
  expect(found(["TRK-101", "Keller"], ["TRK-111", "kunz"], ["X", "Vogel"], ["TRK-132", null])).toEqual([
    ["TRK-132"],
  ]);
});

it("an unreadable file is assigned to the player whose name it contains", () => {
  const ownerOf = (fileName: string, serial = "") =>
    playerOfRecording(roster, { serial, fileName })?.name ?? null;
  const numbers = readRoster("player,serial\n10,A\nPlayer 1,B\n?,C\n").roster;
  const inNumbers = (fileName: string) => playerOfRecording(numbers, { serial: "", fileName })?.name ?? null;
  expect(["9-x.asi", "10.asi", "Player 12.asi", "Player 1.asi"].map(inNumbers)).toEqual([
    null,
    "10",
    null,
    "Player 1",
  ]);
  expect(["21 KUNZ.asi", "kunzler.asi", "Kunz-Keller.asi"].map((name) => ownerOf(name))).toEqual([
    "Kunz",
    null,
    null,
  ]);
  expect(ownerOf("21-Kunz.asi", "TRK-9")).toBeNull();
});
