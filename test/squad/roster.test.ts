import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { playerOfRecording, readRoster } from "../../src/squad/roster.js";

const problemsOf = (text: string) =>
  readRoster(text).problems.map(({ line, message }) => `${line}: ${message}`);

describe("a roster", () => {
  it("names the players with their trackers and values", () => {
    const { roster, problems } = readRoster(
      "Player;Serial;Number;Position;Max HR;Rest HR;High speed (km/h);Sprint;Birth date;Mass (kg)\n" +
        "Kunz;TRK-102;11;FW;195;52;19,8;7 m/s;23.5.2001;74,5\n",
    );
    expect(problems).toEqual([]);
    expect(roster.players).toEqual([
      {
        name: "Kunz",
        serials: ["TRK-102"],
        files: [],
        number: "11",
        position: "FW",
        maxHr: 195,
        restHr: 52,
        highSpeedMPerS: 5.5,
        sprintMPerS: 7,
        birthDate: "2001-05-23",
        massKg: 74.5,
        line: 2,
      },
    ]);
  });

  it("gives a player two trackers, in one cell or in two rows", () => {
    for (const text of ["player,serial\nLang,TRK-1 TRK-2\n", "player,serial\nLang,TRK-1\nlang,TRK-2\n"]) {
      expect(readRoster(text).roster.players.map(({ serials }) => serials)).toEqual([["TRK-1", "TRK-2"]]);
    }
  });

  it("finds the player of a recording by serial number first, then by the name of the file", () => {
    const { roster } = readRoster("player,serial,file\nKunz,TRK-1,\nMeier,,*meier*\n");
    const nameOf = (serial: string, fileName: string) =>
      playerOfRecording(roster, { serial, fileName })?.name ?? null;
    expect(nameOf("trk-1", "07-Meier.asi")).toBe("Kunz");
    expect(nameOf("TRK-9", "07-Meier.asi.gz")).toBe("Meier");
    expect(nameOf("TRK-9", "07-Vogel.asi")).toBeNull();
  });

  it("is told line by line what is wrong in it, and what to do", () => {
    expect(problemsOf("name,serial\n")).toEqual(["1: A roster needs a column player, and serial or file."]);
    expect(problemsOf("player,number\n")).toEqual([
      "1: A roster needs a column serial (numbers of trackers) or file (names of recordings).",
    ]);
    expect(
      problemsOf("player,serial,sprint,max_hr\n,TRK-1,,\nKunz,TRK-2,25,300\nVogel,TRK-2,fast,\n"),
    ).toEqual([
      "2: The row has no player. Give a name or remove the row.",
      '3: max_hr is "300"; it must be from 60 to 240 beats per minute.',
      '3: sprint is "25" without a unit. Write 19.8 km/h, or name the column "sprint (km/h)" or "sprint (m/s)".',
      '4: sprint is "fast"; it must be a speed such as 19.8 km/h or 5.5 m/s.',
      "4: Vogel has the tracker TRK-2, and so has Kunz in line 3. Change one.",
    ]);
    expect(problemsOf("player,serial,number\nKunz,TRK-1,7\nKunz,TRK-2,8\n")).toEqual([
      "3: Kunz has other values than in line 2. Give them once.",
    ]);
  });

  it("never fails, whatever the file contains", () => {
    const piece = fc.constantFrom(
      "player",
      "serial",
      "file",
      ";",
      ",",
      "\n",
      '"',
      "*",
      "?",
      "7 m/s",
      "1,5",
      "\r",
      "é",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.uint8Array({ maxLength: 20 }), (pieces, bytes) => {
        const { roster } = readRoster(pieces.join(""));
        playerOfRecording(roster, { serial: "TRK-1", fileName: "a.asi" });
        readRoster(bytes);
      }),
    );
  });
});
