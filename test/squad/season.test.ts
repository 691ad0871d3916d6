import { describe, expect, it, onTestFinished, vi } from "vitest";
import { seasonOf } from "../../src/squad/season.js";
import { daysSinceLast, seasonSummary } from "../../src/squad/season-summary.js";
import { column, distance, kunzIn, LIMITS, session, withRow } from "./season-scene.js";

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
      tooFast: null,
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
});
