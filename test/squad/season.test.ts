import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SQUAD_COLUMNS, type SquadColumn } from "../../src/squad/columns.js";
import { halvesOf, joinedPeriods, matchOf } from "../../src/squad/matches.js";
import { intervalsFor } from "../../src/squad/periods.js";
import { readPeriods } from "../../src/squad/read-periods.js";
import {
  daysSinceLast,
  normalBefore,
  type PlayedSession,
  type SeasonRow,
  seasonOf,
  seasonSummary,
  shareOfMatches,
} from "../../src/squad/season.js";
import { seasonLoad } from "../../src/squad/season-load.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 3, 12, 13);
const column = (key: string) =>
  SQUAD_COLUMNS.find((one) => one.key === key) ?? expect.fail(`There is no ${key}.`);
const distance = column("distance_m");
const LIMITS = { high_speed_from_m_per_s: 5.5, sprint_from_m_per_s: 7, max_hr: null as number | null };

/** A session of Kunz with a distance in a number of minutes; null for no recording. */
function session(day: number, metres: number | null, isMatch = true, minutes = 90): PlayedSession {
  const startMs = START_MS + day * DAY_MS;
  const figures = { minutes, distance_m: metres };
  const player = { name: "Kunz", number: "11", position: "FW" };
  const row = {
    player,
    figures,
    covers: isMatch ? "halves" : "session",
    limits: LIMITS,
    benchShare: 0,
    playedShare: 1,
    coverage: 1,
    hrCoverage: 1,
  } as const;
  const rows = metres === null ? [] : [row];
  return { name: `day ${day}`, startMs, endMs: startMs + 90 * 60_000, isMatch, note: null, rows };
}

/** The session with other shares with data, or other figures. */
const withRow = (one: PlayedSession, changes: Partial<SeasonRow>): PlayedSession => ({
  ...one,
  rows: one.rows.map((row) => ({ ...row, ...changes, figures: { ...row.figures, ...changes.figures } })),
});

function kunzIn(...sessions: PlayedSession[]) {
  return seasonOf(sessions).players[0] ?? expect.fail("nobody played");
}

describe("a season", () => {
  it("contains the sessions of each player in chronological order, with the days since the previous session", () => {
    const kunz = kunzIn(session(7, 9000), session(0, 8000), session(10, null));
    expect(kunz.entries.map(({ session: { name }, daysSince }) => [name, daysSince])).toEqual([
      ["day 0", null],
      ["day 7", 7],
      ["day 10", null],
    ]);
    expect(daysSinceLast(kunz)).toBe(3);
    expect(seasonSummary(kunz.entries, distance)).toEqual({ mean: 8500, best: 9000 });
  });

  it("has means over the sessions with nearly complete data, including those whose share is unknown", () => {
    const withShare = (day: number, metres: number, coverage: number | null, minutes: number | null = 90) =>
      withRow(session(day, metres), { coverage, figures: { minutes } });
    const kunz = kunzIn(
      withShare(0, 8000, 1),
      withShare(1, 6000, null),
      withShare(2, 1000, 0.5),
      // did not take part
      withShare(3, 0, null, null),
    );
    expect(seasonSummary(kunz.entries, distance)).toEqual({ mean: 7000, best: 8000 });
  });

  it("contains the load of each day: rest without a recording, and a share of the matches of at least 75 minutes", () => {
    const kunz = kunzIn(
      session(0, 8000),
      session(2, 4000, false, 60),
      session(3, 6000, true, 60),
      session(4, null),
    );
    const days = seasonLoad(kunz, distance, (ms) => new Date(ms).toISOString().slice(0, 10));
    expect(days.map(({ day, load, percent_of_match }) => [day, load, percent_of_match])).toEqual([
      ["2026-04-12", 8000, 100],
      ["2026-04-13", 0, 0],
      ["2026-04-14", 4000, 50],
      // too short for a reference
      ["2026-04-15", 6000, 75],
      ["2026-04-16", 0, 0],
    ]);
  });

  it("has an unknown load for a day without the figure", () => {
    const lost = withRow(session(1, 1), { figures: { distance_m: null } });
    const days = seasonLoad(kunzIn(session(0, 8000), lost), distance, (ms) =>
      new Date(ms).toISOString().slice(0, 10),
    );
    expect(days.map(({ load }) => load)).toEqual([8000, null]);
  });

  it("has no load from before a change of the threshold, so that weighted means of the new one are not too low", () => {
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const highSpeed = column("high_speed_m");
    const at = (day: number, metres: number, limit: number) =>
      withRow(session(day, 9000), {
        figures: { high_speed_m: metres },
        limits: { ...LIMITS, high_speed_from_m_per_s: limit },
      });
    const before = Array.from({ length: 30 }, (_, i) => at(i, 400, 5.5));
    const after = Array.from({ length: 28 }, (_, i) => at(40 + i, 600, 5));
    const days = seasonLoad(kunzIn(...before, ...after), highSpeed, dayOf);
    expect(days[0]?.day).toBe(dayOf(START_MS + 40 * DAY_MS));
    expect(days.map(({ chronic }) => chronic).filter((chronic) => chronic !== null)).toEqual([600]);
    expect(seasonLoad(kunzIn(...before, ...after), distance, dayOf)).toHaveLength(68);
  });

  it("has the loads of other sessions if one has no maximum heart rate, and so no figure", () => {
    const trimp = column("trimp");
    const at = (day: number, value: number | null, max_hr: number | null) =>
      withRow(session(day, 9000), { figures: { trimp: value }, limits: { ...LIMITS, max_hr } });
    const loads = (...sessions: PlayedSession[]) =>
      seasonLoad(kunzIn(...sessions), trimp, (ms) => new Date(ms).toISOString().slice(0, 10)).map(
        ({ load }) => load,
      );
    expect(loads(at(0, 300, 190), at(1, null, null), at(2, 280, 190))).toEqual([300, null, 280]);
    expect(loads(at(0, 300, 190), at(1, null, null))).toEqual([300, null]);
    // a new maximum in the evening: the morning of that day is not comparable
    expect(loads(at(0, 300, 190), at(1, 300, 190), at(1.2, 250, 200), at(2, 280, 200))).toEqual([280]);
  });

  it("has a rest day for a player who wears the tracker but does not take part", () => {
    const bench = withRow(session(1, 1), { figures: { distance_m: null }, coverage: null });
    const days = seasonLoad(kunzIn(session(0, 8000), bench), distance, (ms) =>
      new Date(ms).toISOString().slice(0, 10),
    );
    expect(days.map(({ load }) => load)).toEqual([8000, 0]);
  });

  it("uses for its means only sessions that the player completed almost entirely", () => {
    const kunz = kunzIn(session(0, 9000), withRow(session(7, 2000), { coverage: 0.22 }));
    expect(seasonSummary(kunz.entries, distance)).toEqual({ mean: 9000, best: 9000 });
    // a strap that fails at half-time
    const figures = (trimp: number) => ({ figures: { trimp } });
    const half = withRow(session(7, 9000), { ...figures(157), hrCoverage: 0.5 });
    const { entries } = kunzIn(withRow(session(0, 9000), figures(330)), half);
    expect(seasonSummary(entries, column("trimp"))).toEqual({ mean: 330, best: 330 });
    expect(seasonSummary(entries, distance).mean).toBe(9000);
  });

  it("has an unknown load for a day with incomplete data, not a light day", () => {
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const loads = (key: string, ...sessions: PlayedSession[]) =>
      seasonLoad(kunzIn(...sessions), column(key), dayOf).map((day) => [day.load, day.percent_of_match]);
    // the tracker was empty after 40 of 90 minutes
    const cut = withRow(session(1, 4000), { coverage: 0.44 });
    expect(loads("distance_m", session(0, 8000), cut, session(2, 4000))).toEqual([
      [8000, 100],
      [null, null],
      [4000, 66.7],
    ]);
    const figures = { trimp: 157 };
    const half = withRow(session(1, 9000), { figures, hrCoverage: 0.5 });
    expect(loads("trimp", withRow(session(0, 9000), { figures: { trimp: 330 } }), half)).toEqual([
      [330, 100],
      [null, null],
    ]);
    expect(loads("distance_m", half)).toEqual([[9000, 100]]);
  });

  it("orders players without a number by name with one collator, because a season can have thousands", () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const compared = vi.spyOn(String.prototype, "localeCompare");
    const [one] = session(0, 8000).rows;
    if (one === undefined) throw new Error("nobody played");
    const rows = ["P 10", "p 9", "Ödön", "O"].map((name) => ({
      ...one,
      player: { ...one.player, name, number: null },
    }));
    const { players } = seasonOf([{ ...session(0, 8000), rows }]);
    expect(players.map(({ name }) => name)).toEqual(["O", "Ödön", "p 9", "P 10"]);
    expect(compared).not.toHaveBeenCalled();
  });

  it("identifies a player by name, ignoring case, and orders players by number", () => {
    const keller = (name: string) => ({
      player: { name, number: "1", position: "GK" },
      figures: { minutes: 90, distance_m: 5000 },
      covers: "halves" as const,
      limits: LIMITS,
      benchShare: 0,
      playedShare: 1,
      coverage: 1,
      hrCoverage: null,
    });
    const one = session(0, 8000);
    const other = session(3, 8000);
    const { players } = seasonOf([
      { ...one, rows: [...one.rows, keller("Keller")] },
      { ...other, rows: [keller("KELLER"), ...other.rows] },
    ]);
    expect(players.map(({ name, entries }) => [name, entries.length])).toEqual([
      ["KELLER", 2],
      ["Kunz", 2],
    ]);
  });

  it("compares with the mean of the last five matches, excluding training sessions and short appearances", () => {
    const kunz = kunzIn(
      session(0, 20_000),
      ...[9000, 10_000, 11_000, 10_000, 10_000].map((metres, i) => session(7 + 7 * i, metres)),
      session(36, 3000, false),
      session(38, 900, true, 9),
      session(42, 11_000),
    );
    expect(shareOfMatches(kunz, 8, distance)).toBe(1.1);
    // nothing before the first
    expect(shareOfMatches(kunz, 0, distance)).toBeNull();
    expect(shareOfMatches(kunz, 1, distance)).toBe(0.45);
  });

  it("treats values within 1.5 standard deviations of that mean as normal if there are at least three matches", () => {
    const kunz = kunzIn(session(0, 9000), session(7, 10_000), session(14, 11_000), session(21, 12_000));
    expect(normalBefore(kunz, 2, distance)).toBeNull();
    // the deviation of 9, 10 and 11 is 1
    expect(normalBefore(kunz, 3, distance)).toEqual({ mean: 10_000, low: 8500, high: 11_500 });
  });

  it("uses for that mean only matches whose data are nearly complete, for every figure", () => {
    const rate = column("rate_m_per_min");
    const played = (day: number, metres: number, coverage: number | null) => {
      const one = session(day, metres);
      const rows = one.rows.map((row) => ({
        ...row,
        coverage,
        figures: { ...row.figures, rate_m_per_min: metres / 90, peak_60_s_m: metres / 50 },
      }));
      return { ...one, rows };
    };
    const kunz = kunzIn(
      played(0, 9000, 1),
      played(7, 10_000, 0.95),
      // a half without data: its rate is not that of a match
      played(14, 5000, 0.5),
      // the share is unknown while figures of other players are missing
      played(21, 11_000, null),
      played(28, 12_000, 0.949),
      played(35, 11_000, 1),
    );
    expect(normalBefore(kunz, 5, distance)).toEqual({ mean: 10_000, low: 8500, high: 11_500 });
    expect(shareOfMatches(kunz, 5, distance)).toBe(1.1);
    const peak: SquadColumn = { ...rate, key: "peak_60_s_m" };
    expect(normalBefore(kunz, 5, peak)?.mean).toBe(200);
    expect(normalBefore(kunz, 5, column("minutes"))?.mean).toBe(90);
    expect(normalBefore(kunz, 5, rate)?.mean).toBeCloseTo(10_000 / 90, 9);
    // two complete matches are not enough
    for (const one of [distance, rate]) expect(normalBefore(kunz, 3, one)).toBeNull();
  });

  it("uses for the normal range of a mean heart rate only matches with nearly complete heart rates", () => {
    const match = (day: number, hr_mean_bpm: number, hrCoverage: number) =>
      withRow(session(day, 10_000), { hrCoverage, figures: { hr_mean_bpm } });
    // the strap fails after 10 minutes of the third match
    const kunz = kunzIn(match(0, 164, 1), match(7, 166, 1), match(14, 121, 0.11), match(21, 165, 1));
    expect(normalBefore(kunz, 3, column("hr_mean_bpm"))).toBeNull();
    expect(shareOfMatches(kunz, 3, column("hr_mean_bpm"))).toBe(1);
  });

  it("compares figures only between sessions with the same threshold or maximum heart rate", () => {
    const metres = [620, 580, 640, 600, 610, 1000];
    const figures = (i: number) => ({ high_speed_m: metres[i] ?? 0, sprints: 20, trimp: 300 });
    const at = (i: number, limits: Partial<typeof LIMITS>) =>
      withRow(session(7 * i, 10_000), { limits: { ...LIMITS, ...limits }, figures: figures(i) });
    const before = metres.slice(0, 5).map((_, i) => at(i, {}));
    const highSpeed = column("high_speed_m");
    const last = { high_speed_from_m_per_s: 4.722 };
    const kunz = kunzIn(...before, at(5, last));
    expect(normalBefore(kunz, 5, highSpeed)).toBeNull();
    expect(shareOfMatches(kunz, 5, highSpeed)).toBeNull();
    expect(seasonSummary(kunz.entries, highSpeed)).toEqual({ mean: 1000, best: 1000 });
    // the others do not depend on this threshold, and earlier sessions keep their own
    for (const key of ["distance_m", "sprints", "trimp"])
      expect(normalBefore(kunz, 5, column(key)), key).not.toBeNull();
    expect(normalBefore(kunz, 4, highSpeed)?.mean).toBe(610);
    const peak: SquadColumn = { ...highSpeed, key: "peak_60s_high_speed_m" };
    expect(normalBefore(kunzIn(...before, at(5, last)), 5, peak)).toBeNull();
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const loads = seasonLoad(kunz, highSpeed, dayOf).filter(({ load }) => load !== 0);
    expect(loads.map(({ load }) => load)).toEqual([1000]);
    // without figures in the last session, the limits are those of the session before
    const absent = withRow(session(35, 0), { limits: null, figures: { high_speed_m: null } });
    expect(normalBefore(kunzIn(...before, absent), 5, highSpeed)?.mean).toBe(610);
    for (const [key, other] of [
      ["sprints", { sprint_from_m_per_s: 6.5 }],
      ["sprint_m", { sprint_from_m_per_s: 6.5 }],
      ["trimp", { max_hr: 190 }],
    ] as const)
      expect(normalBefore(kunzIn(...before, at(5, other)), 5, column(key)), key).toBeNull();
  });

  it("counts time on the bench in no mean and no normal range, and does not compare it", () => {
    const bench = (day: number) => withRow(session(day, 4100, true, 96), { benchShare: 0.78 });
    const kunz = kunzIn(
      session(0, 9000),
      session(7, 10_000),
      bench(14),
      session(21, 11_000),
      session(28, 9500),
    );
    expect(seasonSummary(kunz.entries, distance).mean).toBe(9875);
    expect(normalBefore(kunz, 3, distance)).toBeNull();
    expect(normalBefore(kunz, 4, distance)?.mean).toBe(10_000);
    expect([normalBefore(kunz, 2, distance), shareOfMatches(kunz, 2, distance)]).toEqual([null, null]);
    // the last minutes are less than a tenth
    const late = withRow(session(14, 9000), { benchShare: 0.05 });
    expect(seasonSummary(kunzIn(session(0, 9000), late).entries, distance).mean).toBe(9000);
    const days = seasonLoad(kunz, distance, (ms) => new Date(ms).toISOString().slice(0, 10));
    // of the mean of the two matches before, 9,500 m
    expect(days.find(({ day }) => day === "2026-04-26")?.percent_of_match).toBe(43.2);
  });

  it("counts the sum of a short appearance in no mean and no normal range, but its rate", () => {
    const rate = column("rate_m_per_min");
    const played = (minutes: number, metres: number, i: number) =>
      withRow(session(7 * i, metres, true, minutes), {
        playedShare: minutes / 96,
        figures: { rate_m_per_min: metres / minutes },
      });
    const matches = [
      [96, 10_400],
      [95, 10_500],
      [96, 10_300],
      [20, 2400],
      [15, 1900],
      [96, 7000],
    ] as const;
    const kunz = kunzIn(...matches.map(([minutes, metres], i) => played(minutes, metres, i)));
    expect(normalBefore(kunz, 5, distance)).toEqual({ mean: 10_400, low: 9698, high: 11_102 });
    expect(shareOfMatches(kunz, 5, distance)).toBeCloseTo(0.673, 3);
    expect(seasonSummary(kunz.entries, distance)).toEqual({ mean: 9550, best: 10_500 });
    const rates = matches.map(([minutes, metres]) => metres / minutes);
    const mean = rates.slice(0, 5).reduce((sum, value) => sum + value) / 5;
    expect(normalBefore(kunz, 5, rate)?.mean).toBeCloseTo(mean, 9);
    expect(seasonSummary(kunz.entries, rate).best).toBe(1900 / 15);
    // without data for a part of nearly the whole match, less than 90 % remain
    const most = withRow(session(0, 9000), { playedShare: 0.93, coverage: 0.96 });
    expect(seasonSummary(kunzIn(most).entries, distance).mean).toBeNull();
  });

  it("does not compare figures of less than 10 minutes, and has no best rate or mean from them", () => {
    const figures = (rate: number) => ({ rate_m_per_min: rate, hr_mean_bpm: rate, top_speed_km_per_h: rate });
    const matches = [0, 7, 14].map((day) => withRow(session(day, 10_000), { figures: figures(109) }));
    const short = (isMatch: boolean, minutes: number) =>
      kunzIn(
        ...matches,
        withRow(session(21, 560, isMatch, minutes), { playedShare: 0.04, figures: figures(160) }),
      );
    for (const isMatch of [true, false])
      for (const key of ["rate_m_per_min", "hr_mean_bpm", "top_speed_km_per_h", "distance_m"]) {
        const kunz = short(isMatch, 9.9);
        expect([normalBefore(kunz, 3, column(key)), shareOfMatches(kunz, 3, column(key))]).toEqual([
          null,
          null,
        ]);
        expect(normalBefore(short(isMatch, 10), 3, column(key)), key).not.toBeNull();
      }
    const best = (minutes: number) =>
      ["rate_m_per_min", "hr_mean_bpm", "top_speed_km_per_h"].map(
        (key) => seasonSummary(short(true, minutes).entries, column(key)).best,
      );
    expect([best(9.9), best(10)]).toEqual([
      [109, 109, 160],
      [160, 160, 160],
    ]);
  });

  it("does not compare a match whose halves are not known with halves, unlike a training session", () => {
    const matches = [0, 7, 14].map((day) => session(day, 10_000));
    const last = (isMatch: boolean) =>
      kunzIn(...matches, { ...withRow(session(21, 12_900), { covers: "session" }), isMatch });
    expect([normalBefore(last(true), 3, distance), shareOfMatches(last(true), 3, distance)]).toEqual([
      null,
      null,
    ]);
    expect(shareOfMatches(last(false), 3, distance)).toBe(1.29);
  });

  it("compares only with figures of the halves of matches", () => {
    const rate = column("rate_m_per_min");
    const match = (day: number, covers: "halves" | "session", mean: number) =>
      withRow(session(day, 10_000), { covers, figures: { rate_m_per_min: mean } });
    const kunz = kunzIn(
      match(0, "halves", 110),
      match(7, "halves", 110),
      // with the warm-up and the break
      match(14, "session", 93),
      match(21, "halves", 110),
      match(28, "halves", 110),
    );
    expect(normalBefore(kunz, 3, rate)).toBeNull();
    expect(shareOfMatches(kunz, 3, rate)).toBe(1);
    expect(normalBefore(kunz, 4, rate)?.mean).toBe(110);
  });

  it("compares a training impulse and a highest heart rate only with those from complete heart rates", () => {
    const match = (day: number, trimp: number, hrCoverage: number, coverage = 1) =>
      withRow(session(day, 10_000), { hrCoverage, coverage, figures: { trimp, hr_max_bpm: trimp } });
    const kunz = kunzIn(
      match(0, 330, 1),
      match(7, 157, 0.48),
      match(14, 330, 0.96),
      // each share is enough, but both signals are missing at different times
      match(21, 300, 0.96, 0.96),
      match(28, 330, 1),
      match(35, 330, 1),
    );
    for (const key of ["trimp", "hr_max_bpm"]) {
      expect(normalBefore(kunz, 4, column(key)), key).toBeNull();
      expect(normalBefore(kunz, 5, column(key))?.mean, key).toBe(330);
    }
    expect(normalBefore(kunz, 3, distance)?.mean).toBe(10_000);
  });

  it("uses a range of 1.5 × 4.5 % if matches are similar", () => {
    const kunz = kunzIn(...[0, 7, 14, 21].map((day) => session(day, 10_000)));
    expect(normalBefore(kunz, 3, distance)).toEqual({ mean: 10_000, low: 9325, high: 10_675 });
  });
});

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
    expect(halvesOf(read(`${halves}Extra,14:50,15:20,\n`))).toBeNull();
    // quarters of basketball with breaks
    const quarters = "Q1,13:00,13:24,\nQ2,13:26,13:57,\nQ3,14:10,14:36,\nQ4,14:38,15:11,\n";
    expect(halvesOf(read(quarters))).toBeNull();
    expect(halvesOf(read("All,13:00,14:10,\nPart,13:10,13:50,\n"))).toBeNull();
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
