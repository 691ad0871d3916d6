import { expect, it } from "vitest";
import { unknownTrackers } from "../../src/squad/index.js";
import { readRoster } from "../../src/squad/sheets.js";

const { roster } = readRoster("player,serial,file\nKeller,TRK-101,\nKunz,TRK-111 TRK-131,\nVogel,,vogel*\n");
const found = (...recordings: [serial: string, player: string | null][]) =>
  unknownTrackers(
    roster,
    recordings.map(([serial, player]) => ({ serial, player })),
  ).map(({ player: { name, line }, named, nearest }) => [name, line, named, nearest]);

it("names the serial numbers without a player that are most like those of the roster", () => {
  expect(
    found(["TRK-101", "Keller"], ["ABC-7", null], ["TRK-200", null], ["trk-113", null], ["TRK-311", null]),
  ).toEqual([
    ["Kunz", 3, "TRK-111 or TRK-131", ["trk-113", "TRK-311", "TRK-200"]],
    ["Vogel", 4, "vogel*", ["ABC-7", "TRK-200", "trk-113"]],
  ]);
});

it("has nothing to say of players who are absent while every recording has its player, nor of a spare tracker", () => {
  expect(found(["TRK-101", "Keller"])).toEqual([]);
  expect(found(["TRK-101", "Keller"], ["TRK-111", "kunz"], ["X", "Vogel"], ["TRK-132", null])).toEqual([]);
});
