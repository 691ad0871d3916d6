import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intervalsFor, type PeriodsContext } from "../../src/squad/periods.js";
import { readPeriods } from "../../src/squad/read-periods.js";

// 16:30 to 18:15 local time in Zurich
const MATCH: PeriodsContext = {
  session: { startMs: Date.UTC(2025, 4, 17, 14, 30), endMs: Date.UTC(2025, 4, 17, 16, 15) },
  timeZone: "Europe/Zurich",
  players: ["Kunz", "Müller"],
};

const read = (text: string, where = MATCH) => readPeriods(text, where);
const problemsOf = (text: string) => read(text).problems.map(({ line, message }) => `${line}: ${message}`);
const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);
const times = (text: string, player = "Kunz") =>
  read(text).periods.map((period) =>
    intervalsFor(period, player)
      .map(({ startMs, endMs }) => `${clock(startMs)}-${clock(endMs)}`)
      .join(" "),
  );

describe("a file that is too large for periods", () => {
  const second = (s: number) => new Date(s * 1000).toISOString().slice(11, 19);
  const row = (period: string, from: number, player = "") =>
    `${period},${second(from)},${second(from + 1)},${player}`;
  const file = (rows: readonly string[]) => `period,start,end,player\n${rows.join("\n")}\n`;
  const day: PeriodsContext = { session: { startMs: 0, endMs: 83_000_000 }, players: ["Kunz", "Müller"] };

  it("has more than 10,000 rows, 1,000 columns, 4 MiB or 200 periods, and is refused with one error", () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => row("Drill", 8 * i, "Kunz"));
    const most = read(file(rows), day);
    expect(most.problems).toEqual([]);
    expect(intervalsFor(most.periods[0] as never, "Kunz")).toHaveLength(10_000);
    const large = (text: string) => {
      const { periods, problems } = read(text, day);
      expect(periods).toEqual([]);
      return problems;
    };
    const tooLarge = [
      {
        line: 1,
        message: "The table has more than 10,000 rows, 1,000 columns or 4 MiB. Is it the correct file?",
      },
    ];
    expect(large(file([...rows, row("Drill", 80_001, "Kunz")]))).toEqual(tooLarge);
    expect(large(`period,start,end\n${" ".repeat(2 ** 22)}`)).toEqual(tooLarge);
    expect(large(`period,start,end${",x".repeat(998)}\n`)).toEqual(tooLarge);
    const many = (count: number) => file(Array.from({ length: count }, (_, i) => row(`Drill ${i}`, 10 * i)));
    expect(read(many(200), day).periods).toHaveLength(200);
    expect(large(many(5000))).toEqual([
      {
        line: 202,
        message: '"Drill 200" exceeds the limit of 200 periods per session. Remove some periods.',
      },
    ]);
  });

  it("is refused before a row is read, if the caller allows fewer rows", () => {
    const rows = Array.from({ length: 201 }, (_, i) => row(`Drill ${i}`, 0));
    const { periods, problems } = read(file(rows), { ...day, maxRows: 200 });
    expect(periods).toEqual([]);
    const message = "The periods have 201 rows. A session has at most 200. Remove some rows.";
    expect(problems).toEqual([{ line: 202, message }]);
    expect(read(file(rows.slice(1, 3)), { ...day, maxRows: 2 }).periods).toHaveLength(2);
  });

  it("reports the first hundred overlaps", () => {
    const rows = Array.from({ length: 200 }, (_, i) => `Drill ${i},${second(i)},${second(i + 1_000)},`);
    const { problems } = read(file(rows), day);
    expect(problems).toHaveLength(100);
    expect(problems[0]?.message).toBe('"Drill 1" overlaps "Drill 0" (line 2) for Kunz. Change one of them.');
  });

  it("finds overlaps among many rows of many players", () => {
    const players = Array.from({ length: 45 }, (_, i) => `P${i}`);
    const rows = players.flatMap((player) =>
      Array.from({ length: 200 }, (_, i) => row(`Drill ${i}`, 400 * i, player)),
    );
    const where = { ...day, players };
    expect(read(file(rows), where).problems).toEqual([]);
    const moved = rows.with(-1, `Drill 199,${second(199 * 400 - 10)},${second(199 * 400 + 1)},P44`);
    const late = moved.with(-2, `Drill 198,${second(198 * 400)},${second(199 * 400)},P44`);
    expect(read(file(late), where).problems.map(({ message }) => message)).toEqual([
      '"Drill 199" overlaps "Drill 198" (line 200) for P44. Change one of them.',
    ]);
  });

  it("reports each pair of overlapping periods once, for the first player concerned", () => {
    const players = ["A", "B", "C"];
    const time = fc
      .tuple(fc.nat(20), fc.integer({ min: 1, max: 20 }))
      .map(([from, long]) => [from, from + long]);
    const times = fc.array(fc.tuple(time, fc.array(fc.tuple(fc.nat(2), time), { maxLength: 3 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(times, (periods) => {
        const own = (all: number[], rows: [number, number[]][], player: number) =>
          rows.find(([one]) => one === player)?.[1] ?? all;
        const unique = periods.map(([all, rows]): [number[], [number, number[]][]] => [
          all,
          rows.filter(([player], i) => rows.findIndex(([one]) => one === player) === i),
        ]);
        const text = unique.flatMap(([all, rows], i) => [
          [`P${i}`, second(all[0] ?? 0), second(all[1] ?? 0), ""],
          ...rows.map(([player, [from = 0, to = 0]]) => [`P${i}`, second(from), second(to), players[player]]),
        ]);
        const expected = unique.flatMap((later, j) =>
          unique.slice(0, j).flatMap((earlier, i) => {
            const concerned = players.find((_, player) => {
              const [[a = 0, b = 0], [c = 0, d = 0]] = [own(...earlier, player), own(...later, player)];
              const isWithin = (a <= c && d <= b) || (c <= a && b <= d);
              return a < d && c < b && !isWithin;
            });
            return concerned === undefined ? [] : [`"P${j}" overlaps "P${i}" for ${concerned}`];
          }),
        );
        const { problems } = read(file(text.map((cells) => cells.join(","))), { ...day, players });
        const found = problems.map(({ message }) =>
          message.replace(/ \(line \d+\)/, "").replace(". Change one of them.", ""),
        );
        expect(found.sort()).toEqual(expected.sort());
      }),
    );
  });
});

describe("a period", () => {
  const problemsOf = (start: string, end: string) =>
    readPeriods(`period,start,end\nCamp,${start},${end}\n`, {
      session: { startMs: Date.UTC(2026, 9, 24), endMs: Date.UTC(2026, 9, 31) },
      timeZone: "Europe/Zurich",
      players: [],
    }).problems;

  it("may last a week, even the week in which daylight saving time ends", () => {
    expect(problemsOf("2026-10-17 12:00", "2026-10-24 12:00")).toEqual([]);
    expect(problemsOf("2026-10-24 12:00", "2026-10-31 12:00")).toEqual([]);
  });

  it("is refused if it lasts more than 7 days, because a date must be wrong", () => {
    expect(problemsOf("2026-10-24 12:00", "2036-10-24 13:00")).toEqual([
      {
        line: 2,
        message:
          "Camp lasts 3,654 days, from 2026-10-24 12:00 to 2036-10-24 13:00. A period lasts at most 7 days. Correct one of the dates.",
      },
    ]);
    expect(problemsOf("2026-10-17 12:00", "2026-10-24 13:01")).toMatchObject([
      { message: expect.stringContaining("lasts 8 days") },
    ]);
  });
});

describe("the periods of a session", () => {
  it("have times in the time zone of the club", () => {
    expect(times("period,start,end\n1st half,16:30,17:15\n2nd half,17:30:30,18:15\n")).toEqual([
      "14:30:00-15:15:00",
      "15:30:30-16:15:00",
    ]);
  });

  it("can have times and dates as written by Excel", () => {
    const forms = [
      "16:30",
      "4:30 PM",
      "16:30:00",
      "2025-05-17 16:30",
      "17.05.2025 16:30:00",
      "0.6875",
      "0,6875",
    ];
    for (const start of forms) {
      expect(times(`period;start;end\nHalf;${start};17:15\n`), start).toEqual(["14:30:00-15:15:00"]);
    }
  });

  it("can differ for a player who is substituted, returns, or is absent", () => {
    const text =
      "period,start,end,player\n1st half,16:30,17:15,\n1st half,16:30,16:40,kunz\n1st half,16:50,17:15,KUNZ\n2nd half,17:30,18:15,\n2nd half,-,-,Kunz\n";
    expect(times(text, "Kunz")).toEqual(["14:30:00-14:40:00 14:50:00-15:15:00", ""]);
    expect(times(text, "Müller")).toEqual(["14:30:00-15:15:00", "15:30:00-16:15:00"]);
  });

  it("are refused with blank times for a player, which say nothing about taking part", () => {
    const file = (start: string, end: string) =>
      `period,start,end,player\nA,17:00,17:45,\nA,${start},${end},Kunz\n`;
    const message = "3: Write - if Kunz does not take part, or remove the row.";
    expect([problemsOf(file("", "")), problemsOf(file("-", ""))]).toEqual([[message], [message]]);
    expect(times(file("", ""))).toEqual(["15:00:00-15:45:00"]);
    expect([problemsOf(file("-", "–")), times(file("-", "–"))]).toEqual([[], [""]]);
    expect(problemsOf("period,start,end,player\nA,,,\n")[0]).toContain("A has no times.");
  });

  it("can apply to individual players only", () => {
    const text = "period,start,end,player\nDrill,16:35,16:40,Kunz\n";
    expect(times(text, "Kunz")).toEqual(["14:35:00-14:40:00"]);
    expect(times(text, "Müller")).toEqual([""]);
  });

  it("are on the day of the session, even across midnight", () => {
    const late = {
      ...MATCH,
      session: { startMs: Date.UTC(2025, 4, 17, 21), endMs: Date.UTC(2025, 4, 17, 23) },
    };
    const [period] = read("period,start,end\nLate,23:30,0:30\n", late).periods;
    expect(period?.all).toEqual({
      startMs: Date.UTC(2025, 4, 17, 21, 30),
      endMs: Date.UTC(2025, 4, 17, 22, 30),
    });
  });

  it("continue after midnight if the recordings contain both times of one day", () => {
    const day = { ...MATCH, session: { startMs: Date.UTC(2025, 4, 16, 22), endMs: Date.UTC(2025, 4, 18) } };
    const [period] = read("period,start,end\nLate,23:30,0:30\n", day).periods;
    expect(period?.all).toEqual({
      startMs: Date.UTC(2025, 4, 17, 21, 30),
      endMs: Date.UTC(2025, 4, 17, 22, 30),
    });
  });

  it("require a date if a time occurs on several days of the recordings", () => {
    const { startMs } = MATCH.session;
    const camp = { ...MATCH, session: { startMs, endMs: startMs + 3 * 86_400_000 } };
    expect(read("period,start,end\nDay 2,17:00,17:30\n", camp)).toEqual({
      periods: [],
      problems: [
        {
          line: 2,
          message:
            '"17:00" occurs on several days of these recordings. Write the date in front: 2025-05-17 17:00.',
        },
      ],
    });
    const [period] = read("period,start,end\nDay 2,2025-05-18 17:00,17:30\n", camp).periods;
    expect(period?.all).toEqual({
      startMs: Date.UTC(2025, 4, 18, 15),
      endMs: Date.UTC(2025, 4, 18, 15, 30),
    });
  });

  it("use the time within the recordings if a local time occurs twice, and end after they start", () => {
    const autumn = (fromUtc: number, toUtc: number) => ({
      ...MATCH,
      session: { startMs: Date.UTC(2025, 9, 26, fromUtc, 5), endMs: Date.UTC(2025, 9, 26, toUtc, 55) },
    });
    const { startMs, endMs } =
      read("period,start,end\nHalf,02:10,02:50\n", autumn(1, 1)).periods[0]?.all ?? expect.fail();
    expect([clock(startMs), clock(endMs)]).toEqual(["01:10:00", "01:50:00"]);
    const across =
      read("period,start,end\nHalf,02:40,02:25\n", autumn(0, 1)).periods[0]?.all ?? expect.fail();
    expect([clock(across.startMs), clock(across.endMs)]).toEqual(["00:40:00", "01:25:00"]);
  });

  it("can be within another period, such as a drill in a half", () => {
    expect(problemsOf("period,start,end\nHalf,16:30,17:15\nDrill,16:35,16:40\n")).toEqual([]);
  });

  it("are refused with every error by line and the required action", () => {
    expect(problemsOf("Name,Start,von\n1st half,15:00,15:45\n")).toEqual([
      '1: Periods need the columns period, start and end. The headers of this line are "Name", "Start", "von".',
    ]);
    expect(
      problemsOf(
        "period,start,end,player\n,16:30,17:00,\nA,soon,17:00,\nB,17:00,16:59,\nC,16:30,17:00,Nobody\nD,-,-,\nE,16:30,17:00,\nF,16:45,17:15,\n",
      ),
    ).toEqual([
      "2: The row has no period. Give a name such as 1st half, or remove the row.",
      '3: "soon" is not a time. Write 15:00, 15:00:30 or 2026-05-16 15:00.',
      "4: B ends at 16:59, which is not after its start at 17:00. Change one of them.",
      '5: No recording belongs to "Nobody". Write the name as in the roster, or as the name of the file.',
      "6: D has no times. Give start and end, or name a player who does not take part.",
      '8: "F" overlaps "E" (line 7) for Kunz. Change one of them.',
    ]);
  });

  it("omit a period whose row with the times is refused, even if other rows exclude players from it", () => {
    const { periods, problems } = read(
      "period,start,end,player\nA,17:00,16:59,\nA,-,-,Kunz\nB,17:10,17:20,\n",
    );
    expect([periods.map(({ name }) => name), problems.length]).toEqual([["B"], 1]);
  });

  it("never apply a name, player or time to others silently", () => {
    expect(problemsOf("period,start,end\nA,16:30,16:40,Kunz\n")[0]).toContain(
      '2: The cell "Kunz" has no header',
    );
    expect(problemsOf("period,start,end,players\nA,16:30,16:40,Kunz\n")[0]).toContain('Name it "player"');
    for (const name of ["Session", "Whole"])
      expect(problemsOf(`period,start,end\n${name},16:30,16:40\n`)).toEqual([
        `2: A period cannot be named "${name}": that name means the whole session. Give it another name.`,
      ]);
    for (const rows of ["A,-,-,Kunz\nA,16:30,16:40,Kunz\n", "A,16:30,16:40,Kunz\nA,-,-,Kunz\n"])
      expect(problemsOf(`period,start,end,player\n${rows}`)).toEqual([
        "3: One row excludes Kunz from A, and another one has times. Remove one of them.",
      ]);
  });

  it("never fail, for any content of the file", () => {
    const piece = fc.constantFrom(
      "period",
      "start",
      "end",
      "player",
      ";",
      ",",
      "\n",
      '"',
      "16:30",
      "99:99",
      "-",
      "0,5",
      "Kunz",
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void read(pieces.join(""))));
  });
});
