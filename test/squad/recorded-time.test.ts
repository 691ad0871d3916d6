import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SQUAD_COLUMNS, summaryOf, wholeRows } from "../../src/squad/columns.js";
import { mainInterval, recordedSpans, sessionTime } from "../../src/squad/recorded-time.js";
import { nameKey } from "../../src/squad/roster.js";
import { type SeasonSession, seasonRow } from "../../src/squad/season.js";
import { isWholeEntry } from "../../src/squad/season-comparison.js";
import { squadMembers } from "../../src/squad/squad-members.js";
import { squadRows } from "../../src/squad/squad-table.js";
import { recordingOfRows, rowsAt } from "./recordings.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START_MS = Date.UTC(2025, 4, 17, 14, 30);
const every = (stepMs: number, minutes: number, startMs = START_MS) =>
  rowsAt(Array.from({ length: (minutes * MINUTE_MS) / stepMs }, (_, i) => startMs + i * stepMs));

describe("the length of a session", () => {
  it("is the time during which any player has data, for any spacing of rows", () => {
    for (const stepMs of [100, 1000, 2000, 5000]) {
      const minutes = sessionTime([{ samples: every(stepMs, 30) }]).ms / MINUTE_MS;
      expect(Math.abs(minutes - 30), `rows every ${stepMs} ms`).toBeLessThanOrEqual(stepMs / MINUTE_MS);
    }
    const uneven = rowsAt(
      Array.from({ length: 1800 }, (_, i) => START_MS + i * 1000 + (i % 2 === 0 ? 1 : -1)),
    );
    expect(sessionTime([{ samples: uneven }]).ms).toBe(30 * MINUTE_MS - 1000);
  });

  it("excludes breaks without recordings, and counts simultaneous recordings once", () => {
    const halves = rowsAt([
      ...every(2000, 10).timestampMs,
      ...every(2000, 10, START_MS + 20 * MINUTE_MS).timestampMs,
    ]);
    const one = sessionTime([{ samples: halves }]).ms;
    expect(one).toBe(2 * (10 * MINUTE_MS - 1000));
    expect(sessionTime([{ samples: halves }, { samples: every(2000, 10) }]).ms).toBe(one);
  });

  it("marks a player with a low sampling rate who misses a half, and excludes the player from the mean", () => {
    const whole = ["S-1", "S-2"].map((serial) => recordingOfRows(serial, every(2000, 30)));
    const half = recordingOfRows("S-3", every(2000, 15));
    const rows = squadRows(squadMembers([...whole, half], null), []);
    expect(rows.map(({ coverage }) => Math.round((coverage ?? 0) * 100))).toEqual([100, 100, 50]);
    const minutes = SQUAD_COLUMNS.find(({ key }) => key === "minutes");
    if (minutes === undefined) throw new Error("no such column");
    expect(summaryOf(rows, minutes, wholeRows(rows)).mean).toBeCloseTo(30, 1);
  });

  it("excludes another session in one recording, as do the figures of all players", () => {
    const tuesday = every(1000, 60, START_MS - 4 * DAY_MS);
    const saturday = every(1000, 60);
    const both = rowsAt([...tuesday.timestampMs, ...saturday.timestampMs]);
    const others = ["B", "C", "D"].map((serial) => recordingOfRows(serial, saturday));
    const rows = squadRows(squadMembers([recordingOfRows("A", both), ...others], null), []);
    expect(rows.map(({ periodMs, coverage }) => [periodMs, coverage])).toEqual(
      rows.map(() => [60 * MINUTE_MS, expect.closeTo(1, 3)]),
    );
    const distances = rows.map(({ metrics }) => metrics?.total_distance);
    expect(new Set(distances)).toEqual(new Set([distances[1]]));
    // a player of the other session only
    const late = [...others, recordingOfRows("E", tuesday)];
    expect(squadRows(squadMembers(late, null), []).at(-1)).toMatchObject({ metrics: null, coverage: 0 });
  });

  it("counts time without data on the bench once, so that means are the same before and after the times are saved", () => {
    const [full, part] = [recordingOfRows("S-1", every(1000, 90)), recordingOfRows("S-2", every(1000, 84))];
    const members = squadMembers([full, part], null);
    const all = { startMs: START_MS, endMs: START_MS + 90 * MINUTE_MS };
    const half = { name: "Match", all, own: new Map(), line: 1 };
    // off after 82:40, recorded until 84:00
    const times = [{ startMs: START_MS, endMs: START_MS + 82 * MINUTE_MS + 40_000 }];
    const saved = { ...half, own: new Map([[nameKey(members[1]?.name ?? ""), times]]) };
    const [before, after] = [half, saved].map((period) =>
      squadRows(members, [period], {}, [saved]).filter(({ period: name }) => name === "Match"),
    );
    expect([wholeRows(before ?? []).size, wholeRows(after ?? []).size]).toEqual([2, 2]);
    expect(before?.[1]?.benchMs).toBe(7 * MINUTE_MS + 20_000);
    expect(before?.[1]?.benchRecordedMs).toBeCloseTo(80_000, -4);
    const entries = [before, after].map((rows = []) => {
      const row = rows[1] ?? expect.fail();
      return { row: seasonRow(row, rows, "halves", []), session: {} as SeasonSession, daysSince: null };
    });
    expect(entries.map((entry) => isWholeEntry(entry))).toEqual([true, true]);
  });

  it("counts time on the bench in the whole session of a match, but not of a training session", () => {
    const recordings = ["S-1", "S-2"].map((serial) => recordingOfRows(serial, every(1000, 60)));
    const members = squadMembers(recordings, null);
    const at = (from: number, to: number) => ({
      startMs: START_MS + from * MINUTE_MS,
      endMs: START_MS + to * MINUTE_MS,
    });
    // the second player is off from the 45th minute
    const off = new Map([[nameKey(members[1]?.name ?? ""), [at(30, 45)]]]);
    const benchMinutes = (...starts: number[]) => {
      const periods = starts.map((start, i) => {
        const own = start < 30 ? new Map() : off;
        return { name: `Part ${i}`, all: at(start, starts[i + 1] ?? 60), own, line: i };
      });
      const whole = squadRows(members, periods).filter(({ period }) => period === null);
      return [...whole.map(({ benchMs }) => benchMs / MINUTE_MS), wholeRows(whole).size];
    };
    expect(benchMinutes(0, 30)).toEqual([0, 15, 1]);
    expect(benchMinutes(0, 10, 30, 45)).toEqual([0, 0, 2]);
  });

  it("is never shorter than the longest part of a recording, for any times", () => {
    const times = fc.array(fc.integer({ min: 0, max: 2e7 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(times, (ms) => {
        const samples = rowsAt(ms);
        const longest = Math.max(...recordedSpans(samples).map(({ startMs, endMs }) => endMs - startMs));
        expect(sessionTime([{ samples }]).ms).toBeGreaterThanOrEqual(longest);
      }),
    );
  });
});

describe("the main interval of a session", () => {
  it("excludes the few rows that a tracker wrote before it had the date", () => {
    const early = rowsAt([
      ...every(1000, 10, START_MS - 7 * DAY_MS).timestampMs,
      ...every(1000, 50, START_MS).timestampMs,
    ]);
    const interval = mainInterval([{ samples: every(1000, 60) }, { samples: early }]);
    expect(interval).toEqual({ startMs: START_MS, endMs: START_MS + 60 * MINUTE_MS - 999 });
  });

  it("is the whole session if the days are equal", () => {
    const days = rowsAt([...every(1000, 10).timestampMs, ...every(1000, 10, START_MS + DAY_MS).timestampMs]);
    const { startMs, endMs } = mainInterval([{ samples: days }]);
    expect([startMs, endMs]).toEqual([START_MS, START_MS + DAY_MS + 10 * MINUTE_MS - 999]);
  });
});
