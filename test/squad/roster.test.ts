import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkOverrides } from "../../src/metrics/parameters.js";
import { readRoster } from "../../src/squad/read-roster.js";
import { playerOfRecording } from "../../src/squad/roster.js";
import { ownParameters } from "../../src/squad/squad-table.js";

const problemsOf = (text: string) =>
  readRoster(text).problems.map(({ line, message }) => `${line}: ${message}`);

describe("a roster", () => {
  it("has at most eight columns for one value, because every row searches them", () => {
    const wide = (count: number) => `player,serial${",sprint".repeat(count)}\nKunz,T1${",".repeat(count)}\n`;
    expect(problemsOf(wide(8))).toEqual([]);
    expect(problemsOf(wide(9))).toEqual(["1: 9 columns give the sprint. Keep one of them."]);
  });

  it("lists the players with their trackers and values", () => {
    const { roster, problems } = readRoster(
      "Player;Serial;Number;Position;Max HR;Rest HR;High speed (km/h);Sprint;Max speed (km/h);Aerobic speed;Birth date;Mass (kg)\n" +
        "Kunz;TRK-102;11;FW;195;52;19,8;7 m/s;32,4;4,5 m/s;23.5.2001;74,5\n",
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
        maxSpeedMPerS: 9,
        aerobicSpeedMPerS: 4.5,
        birthDate: "2001-05-23",
        massKg: 74.5,
        line: 2,
      },
    ]);
  });

  it("can assign two trackers to a player, in one cell or in two rows", () => {
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

  it("is refused with every error by line and the required action", () => {
    const needs =
      "A roster needs the column player, and serial (numbers of trackers) or file (names of recordings).";
    expect(problemsOf("\n\nName;Tracker;\nKunz;TRK-1;;7\n")).toEqual([
      `3: ${needs} The headers of this line are "Name", "Tracker", "".`,
    ]);
    expect(problemsOf("player,serials\nKunz,TRK-1\n")).toEqual([
      `1: ${needs} The headers of this line are "player", "serials".`,
      '1: The column "serials" is not known. Name it "serial", or remove it.',
    ]);
    expect(problemsOf("")).toEqual([`1: ${needs} The file is empty.`]);
    const many = Array.from({ length: 14 }, (_, i) => `${i}`.repeat(40)).join(",");
    expect(problemsOf(many)[0]).toMatch(/"0{30}…", .*"1(1[01]){14}1…" and 2 more\.$/);
    expect(
      problemsOf("player,serial,sprint,max_hr\n,TRK-1,,\nKunz,TRK-2,25,300\nVogel,TRK-2,fast,\n"),
    ).toEqual([
      "2: The row has no player. Give a name or remove the row.",
      '3: max_hr is "300"; it must be from 60 to 240 beats per minute.',
      '3: sprint is "25" without a unit. Write 19.8 km/h, or name the column "sprint (km/h)" or "sprint (m/s)".',
      '4: sprint is "fast"; it must be a speed such as 19.8 km/h or 5.5 m/s.',
      "4: Vogel and Kunz (line 3) have the same tracker TRK-2. Change one.",
    ]);
    expect(problemsOf("player,serial,number\nKunz,TRK-1,7\nKunz,TRK-2,8\n")).toEqual([
      "3: Kunz has different values in line 2. Keep one value of each.",
    ]);
  });

  const sprintOf = (header: string, cell = "18") =>
    readRoster(`player;serial;${header}\nKunz;TRK-1;${cell}\n`).roster.players[0]?.sprintMPerS;

  it("can have the unit of a header in any notation", () => {
    for (const unit of ["(km/h)", "[km/h]", "[kmh]", "kmh", "(km / h)", "km/h", "_km/h"])
      expect(sprintOf(`Sprint ${unit}`), unit).toBe(5);
    expect(sprintOf("Sprint >", "18 km / h")).toBe(5);
    for (const header of ["maxhr", "Max. HR", "MAX HR (bpm)"])
      expect(readRoster(`player;serial;${header}\nKunz;TRK-1;190\n`).roster.players[0]?.maxHr, header).toBe(
        190,
      );
  });

  it("reports a misspelt header together with the correct one", () => {
    expect(problemsOf("player,serial,sprints (mph)\nKunz,TRK-1,15\n")).toEqual([
      '1: The column "sprints (mph)" is not known. Name it "sprint" or "sprint (km/h)" or "sprint (m/s)", or remove it.',
    ]);
    for (const [header, column] of [
      ["sprint (mph)", "sprint"],
      ["sprints (km/h)", "sprint"],
      ["sprint threshold", "sprint"],
      ["HFmax", "max_hr"],
      ["HR max", "max_hr"],
      ["heigh speed", "high_speed"],
      ["positon", "position"],
    ]) {
      const [problem] = problemsOf(`player,serial,${header}\nKunz,TRK-1,\n`);
      expect(problem, header).toContain(`The column "${header}" is not known. Name it "${column}"`);
    }
    expect(problemsOf("player,serial,Team,Remark,Sport,Email,Age\nKunz,TRK-1,A,B,C,D,E\n")).toEqual([]);
  });

  it("uses the filled column of two with the same meaning, and refuses two filled columns", () => {
    const head = "player,serial,sprint (km/h),sprint (m/s)\n";
    expect(readRoster(`${head}Kunz,TRK-1,,5\n`).roster.players[0]?.sprintMPerS).toBe(5);
    expect(problemsOf(`${head}Kunz,TRK-1,18,5\n`)).toEqual([
      "2: Two columns give the sprint of this row. Keep one of them.",
    ]);
  });

  it("refuses long cells with their line, in time proportional to their length; a list of serial numbers may be longer", () => {
    const long = `1${" ".repeat(1_000_000)}x`;
    for (const column of ["sprint", "max_hr", "mass"])
      expect(problemsOf(`player,serial,${column}\nKunz,TRK-1,${long}\n`)[0]).toMatch(
        /^2: The \w+ of this row has more than 200 characters/,
      );
    const serials = Array.from({ length: 100 }, (_, i) => `TRK-${i}`);
    expect(readRoster(`player,serial\nKunz,${serials.join(" ")}\n`).roster.players[0]?.serials).toEqual(
      serials,
    );
  });

  it("is refused with one error if it has more than 10,000 trackers", () => {
    const serials = Array.from({ length: 10_000 }, (_, i) => `TRK-${i}`).join(" ");
    expect(problemsOf(`player,serial\nKunz,${serials}\n`)).toEqual([]);
    for (const [name, text] of [
      ["Kunz", "TRK-X"],
      // one problem, not one for each tracker of two players
      ["Vogel", "TRK-1 ".repeat(10_000)],
      // more than the arguments that a call can have
      ["Kunz", "TRK-1 ".repeat(200_000)],
    ]) {
      const { roster, problems } = readRoster(`player,serial\nKunz,${serials}\n${name},${text}\n`);
      expect(roster.players).toEqual([]);
      expect(problems).toEqual([
        {
          line: 3,
          message:
            "The roster has more than 10,000 trackers in the rows up to this one. Is it the correct file?",
        },
      ]);
    }
  });

  it("refuses rows shifted by a decimal comma, and unclosed quotes", () => {
    expect(problemsOf("player,serial,max_hr,sprint (km/h)\nKunz,TRK-1,190,20,5\n")).toEqual([
      '2: The cell "5" has no header: it is in column 5. Give it a header. If a comma is a decimal mark here, put the number in quotes or separate the columns by semicolons.',
    ]);
    expect(problemsOf('player,serial\nKunz,TRK-1\n"Vogel,TRK-2\nMeier,TRK-3\n')).toContain(
      "3: A quote begins here and is not closed. Close it, or remove it.",
    );
  });

  it("refuses thresholds that the figures do not accept", () => {
    const thresholds = (speed: string) =>
      readRoster(`player;serial;high_speed;sprint\nKunz;TRK-1;${speed};\nVogel;TRK-2;;${speed}\n`);
    const limits = "it must be from 0.5 to 100 m/s, 1.8 to 360 km/h.";
    expect(thresholds("725 m/s").problems).toEqual([
      { line: 2, message: `high_speed is "725 m/s"; ${limits}` },
      { line: 3, message: `sprint is "725 m/s"; ${limits}` },
    ]);
    for (const speed of ["1980 km/h", "0,1 m/s"]) expect(thresholds(speed).problems).toHaveLength(2);
    for (const speed of ["1,8 km/h", "0.5 m/s", "360 km/h", "100 m/s"]) {
      const { roster, problems } = thresholds(speed);
      expect(problems).toEqual([]);
      for (const player of roster.players) checkOverrides("soccer", ownParameters(player));
    }
  });

  it("refuses a sprint threshold below high speed, even if they are in two rows", () => {
    expect(problemsOf("player,serial,sprint,high_speed\nKunz,TRK-1,5 m/s,\nKunz,TRK-2,,6 m/s\n")).toEqual([
      "2: high_speed is above sprint for Kunz. Swap the values, or change one.",
    ]);
  });

  it("gives a recording to the player with the most exact pattern, and to nobody if two are equally exact", () => {
    const { roster } = readRoster(
      "player,file\nGraf,*a*\nKunz,*anna*\nMeier,07-anna-b.asi\nRoth,*b*\nWolf,*c*\nHaas,*d*\n",
    );
    const nameOf = (fileName: string) =>
      playerOfRecording(roster, { serial: "TRK-9", fileName })?.name ?? null;
    expect(["07-anna-b.asi", "07-anna-c.asi", "1-a.asi", "1-cd.asi"].map(nameOf)).toEqual([
      "Meier",
      "Kunz",
      "Graf",
      null,
    ]);
  });

  it("refuses rows that a decimal comma shifts into a blank cell", () => {
    const { problems } = readRoster(
      "player,serial,high_speed_m_per_s,birth_date\nKunz,TRK-1,5,5,\nMeier,TRK-2,5,\n",
    );
    expect(problems.map(({ line }) => line)).toContain(2);
    expect(problems.map(({ message }) => message).join(" ")).toContain(
      "The row has 5 cells, but there are 4 headers.",
    );
    expect(problems.map(({ line }) => line)).not.toContain(3);
  });

  it("accepts a comma at the end of each row", () => {
    expect(readRoster("player,serial\nKunz,12,\nMeier,13,\n").problems).toEqual([]);
  });

  it("finds files whose accents are encoded as on macOS", () => {
    const { roster } = readRoster("player,file\nMüller,*Müller*\n");
    const fileName = "07-Müller.asi".normalize("NFD");
    expect(playerOfRecording(roster, { serial: "TRK-9", fileName })?.name).toBe("Müller");
  });

  it("never fails, for any content of the file", () => {
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
