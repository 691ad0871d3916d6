import { describe, expect, it } from "vitest";
import { newnessOf, normalBefore, shareOfMatches } from "../../src/squad/season-comparison.js";
import { seasonSummary } from "../../src/squad/season-summary.js";
import { column, distance, kunzIn, session, withRow } from "./season-scene.js";

const rate = column("rate_m_per_min");

/** A match of 96 minutes, of which the player plays some. */
const played = (minutes: number, metres: number, i: number) =>
  withRow(session(7 * i, metres, true, minutes), {
    playedShare: minutes / 96,
    figures: { rate_m_per_min: metres / minutes },
  });

describe("the matches with which a figure is compared", () => {
  it("are of about the same playing time for sums, so that a player who is always taken off is not new", () => {
    const minutes = [60, 62, 68, 64, 70];
    const kunz = (last: number) => kunzIn(...[...minutes, last].map((one, i) => played(one, 110 * one, i)));
    const mean = (minutes.reduce((sum, one) => sum + one) / 5) * 110;
    expect(normalBefore(kunz(65), 5, distance)?.mean).toBeCloseTo(mean, 9);
    // 60, 62 and 64 minutes
    expect(normalBefore(kunz(58), 5, distance)?.mean).toBe(6820);
    expect(normalBefore(kunz(96), 5, distance)).toBeNull();
    expect(newnessOf(kunz(96), 5, distance)).toBe("new at 96 min");
    expect(newnessOf(kunz(96), 2, distance)).toBe("new");
    expect(seasonSummary(kunz(65).entries, distance).mean).toBeNull();
    // the playing time itself and rates are compared with those of all matches
    expect(normalBefore(kunz(96), 5, column("minutes"))?.mean).toBeCloseTo(64.8, 9);
    expect(normalBefore(kunz(96), 5, rate)?.mean).toBeCloseTo(110, 9);
  });

  it("are of about the same playing time also if a part of the data is missing", () => {
    const whole = [0, 1, 2].map((i) => played(96, 10_000, i));
    // the tracker was empty after 48 of 96 minutes
    const half = withRow(played(48, 5000, 3), { playedShare: 1, coverage: 0.5 });
    expect(normalBefore(kunzIn(...whole, half), 3, distance)?.mean).toBe(10_000);
    // taken off after 48 minutes
    expect(normalBefore(kunzIn(...whole, played(48, 5000, 3)), 3, distance)).toBeNull();
  });

  it("are whole matches for a training session", () => {
    const matches = [
      played(96, 10_000, 0),
      played(20, 2400, 1),
      played(95, 10_000, 2),
      played(96, 10_000, 3),
    ];
    const kunz = kunzIn(...matches, session(28, 6000, false, 60));
    expect(normalBefore(kunz, 4, distance)?.mean).toBe(10_000);
    expect(shareOfMatches(kunz, 4, distance)).toBe(0.6);
  });

  it("are of the same sport, also for the mean and the best value", () => {
    const ride = (day: number, isMatch = false) => ({
      ...withRow(session(day, 40_000, isMatch), { figures: { rate_m_per_min: 400 } }),
      sport: "biking",
    });
    const matches = [0, 1, 2].map((i) => played(90, 9000, i));
    const kunz = kunzIn(...matches, ride(15, true), ride(16), played(90, 9900, 4));
    expect(normalBefore(kunz, 5, distance)?.mean).toBe(9000);
    expect(normalBefore(kunz, 5, rate)?.mean).toBe(100);
    expect(seasonSummary(kunz.entries, distance)).toEqual({ mean: 9225, best: 9900 });
    expect(seasonSummary(kunz.entries, rate).best).toBe(110);
    // a ride is not compared with matches on foot
    expect([normalBefore(kunz, 4, distance), shareOfMatches(kunz, 3, rate)]).toEqual([null, null]);
    expect(newnessOf(kunz, 4, distance)).toBe("new");
  });

  it("counts the sum of a short appearance in no mean and no normal range, but its rate", () => {
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
});
