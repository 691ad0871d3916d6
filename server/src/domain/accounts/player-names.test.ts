import { periodsCsv } from "asi-convert/squad-sheets";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PeriodRow, periodsOfRows, readPeriodsOf } from "../sessions/period-rows.js";
import { namesOfOthers, playerNames } from "./player-names.js";

const SESSION = { startTime: new Date("2026-05-16T14:00:00Z"), endTime: new Date("2026-05-16T16:00:00Z") };
const named = (id: number, lastName: string | null, username = `user-${id}`) => ({
  id,
  firstName: null,
  lastName,
  username,
});

const rowOf = (athleteId: number, minute: number): PeriodRow => ({
  name: "1st half",
  athleteId,
  startTime: new Date(SESSION.startTime.getTime() + minute * 60_000),
  endTime: SESSION.endTime,
});

const written = (rows: readonly PeriodRow[], names: ReadonlyMap<number, string>) =>
  periodsCsv(
    periodsOfRows(rows, (id) => names.get(id) ?? ""),
    {
      session: { startMs: SESSION.startTime.getTime(), endMs: SESSION.endTime.getTime() },
      players: [...names.values()],
    },
  );

/** Names that can be mistaken for the names of athletes with the ids 1 to 5. */
const NAMES = [
  "Max",
  "MAX",
  "Max (1)",
  "Max (2)",
  "max (1) (2)",
  "Max (1 2)",
  "M\u00e1x",
  "Ma\u0301x",
  "=Max",
  "'=Max",
  "Ｍax",
  " ",
  "user-3",
  "user-4 (4)",
];
const names = fc.array(fc.option(fc.constantFrom(...NAMES)), { minLength: 1, maxLength: 5 });

describe("the names of athletes in periods.csv", () => {
  it("give each athlete the same times again, whatever the athletes are called", () => {
    fc.assert(
      fc.property(names, (chosen) => {
        const players = playerNames(chosen.map((name, i) => named(i + 1, name)));
        const rows = chosen.map((_, i) => rowOf(i + 1, i));
        expect(readPeriodsOf(written(rows, players), SESSION, players)).toMatchObject({ rows, problems: [] });
      }),
      { numRuns: 100 },
    );
  });

  it("mean the same athlete after names or players have changed, or are refused", () => {
    fc.assert(
      fc.property(names, names, (before, after) => {
        // An athlete whose name does not end with a number in parentheses may take a free name. Nobody can distinguish
        // this athlete from the earlier one.
        const isOwn = (name: string | null, i: number) => name === before[i] || /\(\d+\)$/.test(name ?? "");
        fc.pre(after.every(isOwn));
        const rows = before.map((_, i) => rowOf(i + 1, i));
        const file = written(rows, playerNames(before.map((name, i) => named(i + 1, name))));
        const now = playerNames(after.map((name, i) => named(i + 1, name)));
        for (const row of readPeriodsOf(file, SESSION, now).rows) expect(rows).toContainEqual(row);
      }),
      { numRuns: 100 },
    );
  });

  it("are refused with the line and the names to write if several athletes share them", () => {
    const players = playerNames([named(12, "Max"), named(13, "Max"), named(14, "Max (12)")]);
    expect([...players.values()]).toEqual(["Max (12 2)", "Max (13)", "Max (12) (14)"]);
    const file = "period,start,end,player\n1st half,14:00,16:00,\n1st half,14:10,16:00,Max (12)\n";
    expect(readPeriodsOf(file, SESSION, players).problems).toEqual([
      {
        line: 3,
        message:
          '"Max (12)" is not the name of one player. Write "Max (12 2)" or "Max (13)" or "Max (12) (14)".',
      },
    ]);
  });

  it("contain the id of athletes who have left, so a player with the same username does not get their times", () => {
    const players = playerNames([named(1, "kunz")]);
    const left = namesOfOthers([named(22, "Kunz", "kunz")], [...players.values()]);
    const file = written([rowOf(22, 5)], new Map([...players, ...left]));
    expect(readPeriodsOf(file, SESSION, players)).toMatchObject({
      rows: [],
      problems: [
        { line: 2, message: 'No player has the name "kunz (22)". If "kunz" is meant, write that name.' },
      ],
    });
  });
});
