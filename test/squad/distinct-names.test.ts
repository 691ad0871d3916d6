import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distinctNames, sameButMarks } from "../../src/squad/distinct-names.js";
import {
  intervalsFor,
  nameKey,
  namesIn,
  type SessionPeriod,
  type SquadRecording,
  squadMembers,
} from "../../src/squad/index.js";
import { readPeriods } from "../../src/squad/read-periods.js";
import { readRoster } from "../../src/squad/read-roster.js";
import { periodsCsv } from "../../src/squad/write-periods.js";

const HALF = { startMs: Date.UTC(2025, 4, 17, 14, 30), endMs: Date.UTC(2025, 4, 17, 15, 15) };
const EMPTY = new Float64Array();
const NO_SAMPLES = { length: 0, timestampMs: EMPTY } as unknown as SquadRecording["samples"];

const recording = (fileName: string, serial: string): SquadRecording => ({
  fileName,
  serial,
  samples: NO_SAMPLES,
  isDamaged: false,
  isTruncated: false,
  damagedAfterMs: [],
});

/** Texts that a spreadsheet, a file system, Unicode or a reader could take for each other. */
const PARTS = [
  "Max",
  "max",
  "(12)",
  "(AS-1)",
  "é",
  "e\u0301",
  "ﬁ",
  "fi",
  "'",
  "=",
  "-",
  " ",
  "\u00a0",
  "\t",
  '"',
  ",",
  ";",
  "\n",
  "",
  "İ",
  "ß",
];
const name = fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }).map((parts) => parts.join(""));

describe("names of players in periods.csv", () => {
  it("restore the times of each player, for any names of files, trackers and roster entries", () => {
    const files = fc.array(fc.tuple(name, fc.constantFrom("AS-1", "AS-2", "")), {
      minLength: 1,
      maxLength: 6,
    });
    const roster = fc.array(
      name.filter((one) => nameKey(one) !== ""),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(files, roster, (recorded, players) => {
        const recordings = recorded.map(([one, serial]) => recording(`${one}.asi`, serial));
        const rows = players.map((one) => `"${one.replaceAll('"', '""')}",AS-2`).join("\n");
        const known = readRoster(`player,serial\n${rows}\n`).roster;
        const members = squadMembers(recordings, known);
        const where = { session: HALF, players: namesIn(members, known) };
        const own = members.map((member, i) => ({ member, startMs: HALF.startMs + (i + 1) * 60_000 }));
        const period: SessionPeriod = {
          name: "1st half",
          all: HALF,
          own: new Map(
            own.map(({ member, startMs }) => [nameKey(member.name), [{ startMs, endMs: HALF.endMs }]]),
          ),
          line: 0,
        };
        const { periods, problems } = readPeriods(periodsCsv([period], where), where);
        expect(problems).toEqual([]);
        for (const { member, startMs } of own)
          expect(intervalsFor(periods[0] as SessionPeriod, member.name)[0]?.startMs).toBe(startMs);
      }),
      { numRuns: 100 },
    );
  });

  it("are refused, with the line and the names to write, if several players share them", () => {
    const recordings = [recording("Kunz.asi", "AS-1"), recording("KUNZ.asi", "AS-2")];
    const players = namesIn(squadMembers(recordings, null), null);
    const text = "period,start,end,player\n1st half,14:30,15:15,\n1st half,14:40,15:15,Kunz\n";
    expect(readPeriods(text, { session: HALF, players }).problems).toEqual([
      { line: 3, message: '"Kunz" is not the name of one player. Write "Kunz (AS-1)" or "KUNZ (AS-2)".' },
    ]);
  });

  it("mean the player of the roster, not a file with that name", () => {
    const { roster } = readRoster("player,serial\nKunz,AS-1\n");
    const recordings = [recording("05.asi", "AS-1"), recording("Kunz.asi", "AS-9")];
    expect(namesIn(squadMembers(recordings, roster), roster)).toEqual(["Kunz", "Kunz (AS-9)"]);
  });

  it("are the same in each of several sessions", () => {
    const recordings = [recording("Kunz.asi", "AS-1"), recording("Kunz.asi", "AS-2")];
    const alone = squadMembers(recordings.slice(1), null, recordings);
    expect(alone.map((member) => member.name)).toEqual(["Kunz (AS-2)"]);
  });

  it("are never the name of another player if they have a suffix", () => {
    const people = ["Kunz", "Kunz", "Kunz (12)"].map((one, i) => ({ name: one, mark: String(12 + i) }));
    expect(distinctNames(people)).toEqual(["Kunz (12 2)", "Kunz (13)", "Kunz (12)"]);
  });

  it("are searched for once, for any number and length of unknown names", () => {
    const players = Array.from({ length: 5000 }, (_, i) => `Player ${i}${"()".repeat(100)}`);
    const rows = Array.from({ length: 2000 }, (_, i) => `1st half,14:40,15:15,x${i}${"()".repeat(90)}\n`);
    const text = `period,start,end,player\n1st half,14:30,15:15,\n${rows.join("")}`;
    const { problems } = readPeriods(text, { session: HALF, players });
    expect(problems).toHaveLength(rows.length);
    expect(sameButMarks(["Kunz"])(`x${"()".repeat(300_000)}`)).toEqual([]);
    expect(sameButMarks(["Kunz (12)", "KUNZ (13)", "Ott"])("kunz")).toEqual(["Kunz (12)", "KUNZ (13)"]);
  });

  it("do not apply the times of one player to all players if they have more than 200 characters", () => {
    const long = "K".repeat(201);
    const text = `period,start,end,player\n1st half,14:30,15:15,${long}\n`;
    const { periods, problems } = readPeriods(text, { session: HALF, players: [long] });
    expect([periods, problems.map(({ line }) => line)]).toEqual([[], [2]]);
  });
});
