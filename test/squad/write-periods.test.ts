import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PeriodsContext, SessionPeriod } from "../../src/squad/periods.js";
import { readPeriods } from "../../src/squad/read-periods.js";
import { periodsCsv } from "../../src/squad/write-periods.js";

// 16:30 to 18:15 local time in Zurich
const MATCH: PeriodsContext = {
  session: { startMs: Date.UTC(2025, 4, 17, 14, 30), endMs: Date.UTC(2025, 4, 17, 16, 15) },
  timeZone: "Europe/Zurich",
  players: ["Kunz", "Müller", 'O"Neill, Jr.'],
};

/** Periods without the lines of the file. */
const plain = (periods: readonly SessionPeriod[]) =>
  periods.map(({ name, all, own }) => ({ name, all, own: Object.fromEntries(own) }));

describe("periods.csv", () => {
  it("is written as a person would write it", () => {
    const text =
      "period,start,end,player\n1st half,16:30:00,17:15:00,\n1st half,16:30:00,16:40:00,Kunz\n1st half,16:50:00,17:15:00,Kunz\n1st half,-,-,Müller\nDrill,17:30:00,17:40:00.500,Kunz\n";
    expect(periodsCsv(readPeriods(text, MATCH).periods, MATCH)).toBe(text);
  });

  it("quotes names as spreadsheets do", () => {
    const text = 'period,start,end,player\n"Drill, hard",-,-,"O""Neill, Jr."\n';
    expect(periodsCsv(readPeriods(text, MATCH).periods, MATCH)).toBe(text);
  });

  it("contains no cell that a spreadsheet would treat as a formula, and is read back without the apostrophe that prevents this", () => {
    const match = { ...MATCH, players: ["=1+1", "'Kunz"] };
    const { periods } = readPeriods(
      "period,start,end,player\n@1st,16:30,17:15,=1+1\n@1st,-,-,'Kunz\n",
      match,
    );
    const csv = periodsCsv(periods, match);
    expect(csv).toBe("period,start,end,player\n'@1st,16:30:00,17:15:00,'=1+1\n'@1st,-,-,'Kunz\n");
    expect(plain(readPeriods(csv, match).periods)).toEqual(plain(periods));
  });

  it("contains no formula after separators and quotes, and every name is read back", () => {
    const names = ["A;=1+1;b", 'a;"=1', 'a,""+1', "a;'=1", "'=1", "''=1", "-;-", "O'Neil", "a;b"];
    const match = { ...MATCH, players: names };
    const rows = names.map((name) => ({
      name,
      line: 1,
      all: { startMs: MATCH.session.startMs, endMs: MATCH.session.endMs },
      own: new Map(),
    }));
    const csv = periodsCsv(rows, match);
    expect(csv.replaceAll('""', '"')).not.toMatch(/[;,\n]"*[=+]/);
    expect(readPeriods(csv, match).periods.map(({ name }) => name)).toEqual(names);
  });

  it("refuses a long cell with its line, in time proportional to its length", () => {
    const start = `"2025-05-17${" ".repeat(1_000_000)}x\ny"`;
    const { problems } = readPeriods(`period,start,end,player\n1st half,${start},17:15,\n`, MATCH);
    expect(problems[0]).toEqual({
      line: 2,
      message: "The start of this row has more than 200 characters. Shorten it.",
    });
  });

  it("has dates if the session is longer than a day", () => {
    const camp = { ...MATCH, session: { ...MATCH.session, endMs: Date.UTC(2025, 4, 20) } };
    const text = "period,start,end,player\nDay 3,2025-05-19 09:00:00,2025-05-19 10:00:00,\n";
    expect(periodsCsv(readPeriods(text, camp).periods, camp)).toBe(text);
  });

  it("has the offset from UTC if a local time occurs twice", () => {
    const night = {
      ...MATCH,
      session: { startMs: Date.UTC(2025, 9, 26, 0), endMs: Date.UTC(2025, 9, 26, 2) },
    };
    const all = { startMs: Date.UTC(2025, 9, 26, 0, 10), endMs: Date.UTC(2025, 9, 26, 1, 50) };
    const csv = periodsCsv([{ name: "Night", all, own: new Map(), line: 0 }], night);
    expect(csv).toContain("Night,2025-10-26 02:10:00+02:00,2025-10-26 02:50:00+01:00,");
    expect(readPeriods(csv, night).periods[0]?.all).toEqual(all);
  });

  it("is read back exactly as it was written", () => {
    const { startMs, endMs } = MATCH.session;
    const interval = fc
      .tuple(fc.integer({ min: startMs, max: endMs - 1 }), fc.integer({ min: 1, max: 3_600_000 }))
      .map(([from, ms]) => ({ startMs: from, endMs: from + ms }));
    const all = fc.option(interval);
    const own = fc.dictionary(fc.constantFrom("kunz", "müller"), fc.array(interval, { maxLength: 1 }));
    const period = fc
      .record({ all, own })
      .filter((one) => one.all !== null || Object.keys(one.own).length > 0);
    fc.assert(
      fc.property(fc.array(period, { maxLength: 4 }), (made) => {
        const periods = made.map((one, i) => ({
          name: `Drill; no. ${i}`,
          all: one.all,
          own: new Map(Object.entries(one.own)),
          line: 0,
        }));
        expect(plain(readPeriods(periodsCsv(periods, MATCH), MATCH).periods)).toEqual(plain(periods));
      }),
    );
  });
});
