import { describe, expect, it } from "vitest";
import type { SquadColumn } from "../../src/squad/columns.js";
import { normalBefore, shareOfMatches } from "../../src/squad/season-comparison.js";
import { seasonLoad } from "../../src/squad/season-load.js";
import { seasonSummary } from "../../src/squad/season-summary.js";
import { column, dayOf, distance, kunzIn, LIMITS, session, withRow } from "./season-scene.js";

describe("a comparison in a season", () => {
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
    const bench = (day: number) =>
      withRow(session(day, 4100, true, 96), { benchShare: 0.78, benchRecordedShare: 0.78 });
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
    const late = withRow(session(14, 9000), { benchShare: 0.05, benchRecordedShare: 0.05 });
    expect(seasonSummary(kunzIn(session(0, 9000), late).entries, distance).mean).toBe(9000);
    const days = seasonLoad(kunz, distance, dayOf);
    // of the mean of the two matches before, 9,500 m
    expect(days.find(({ day }) => day === "2026-04-26")?.percent_of_match).toBe(43.2);
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
        // a sum of ten minutes is not compared with those of whole matches
        const isOther = isMatch && key === "distance_m";
        expect(normalBefore(short(isMatch, 10), 3, column(key)) === null, key).toBe(isOther);
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
