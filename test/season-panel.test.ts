import { describe, expect, it } from "vitest";
import { seasonText } from "../src/cli/run/season-text.js";
import { markupOf } from "../src/pictures/drawn-element.js";
import { type PlayedSession, SQUAD_COLUMNS, type SquadColumn, seasonOf } from "../src/squad/index.js";
import type { Covers } from "../src/squad/season.js";
import { seasonNotes } from "../src/squad-report/season-notes.js";
import {
  comparedIndex,
  comparisonOf,
  comparisonText,
  farthestFirst,
  type PanelFrame,
  panelTicks,
  seasonChart,
} from "../src/squad-report/season-panel.js";
import { seasonCells } from "../src/squad-report/season-table.js";

const DAY_MS = 86_400_000;
const columnOf = (key: string): SquadColumn => {
  const column = SQUAD_COLUMNS.find((one) => one.key === key);
  if (column === undefined) throw new Error(`no column ${key}`);
  return column;
};
const DISTANCE = columnOf("distance_m");

interface Played {
  distance: number | null;
  coverage: number | null;
  trimp?: number;
  hrCoverage?: number;
  covers?: Covers;
  benchShare?: number;
  playedShare?: number;
  rate?: number;
  minutes?: number;
  tooFast?: { samples: number; duration: number };
  sport?: string;
  isMatch?: boolean;
}

const WHOLE: Played = { distance: 10_000, coverage: 1 };

/** Five whole matches of each player and a last one. Without `last`, a player has no recording of it. */
function seasonWith(last: Readonly<Record<string, Played | undefined>>) {
  const names = Object.keys(last);
  const rowOf = (
    name: string,
    { distance, coverage, trimp = 327, hrCoverage = 1, covers = "halves", rate, ...shares }: Played,
  ) => ({
    player: { name, number: null, position: null },
    figures: {
      distance_m: distance,
      minutes: distance === null ? null : (shares.minutes ?? 90 * (coverage ?? 1)),
      rate_m_per_min: rate ?? (distance === null ? null : distance / 100),
      top_speed_km_per_h: distance === null ? null : distance / 300,
      hr_mean_bpm: null,
      trimp,
    },
    covers,
    limits: null,
    benchShare: shares.benchShare ?? 0,
    benchRecordedShare: shares.benchShare ?? 0,
    playedShare: shares.playedShare ?? 1,
    tooFast: shares.tooFast ?? null,
    coverage,
    hrCoverage,
  });
  const isTraining = Object.values(last).some((row) => row?.isMatch === false);
  const played = Array.from({ length: 6 }, (_, week): PlayedSession => {
    const startMs = Date.UTC(2026, 3, 11) + week * 7 * DAY_MS;
    const rows = names.flatMap((name) => {
      const row = week < 5 ? WHOLE : last[name];
      return row === undefined ? [] : [rowOf(name, row)];
    });
    return {
      name: `Round ${week + 1}`,
      startMs,
      endMs: startMs + 1,
      isMatch: week < 5 || !isTraining,
      sport: (week === 5 && last.Ash?.sport) || "soccer",
      note: null,
      rows,
    };
  });
  return seasonOf(played);
}

function frameOf(last: Readonly<Record<string, Played | undefined>>, column = DISTANCE): PanelFrame {
  const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { season: seasonWith(last), column, now: 5, dayText };
}

const playerIn = ({ season }: PanelFrame, name: string) => {
  const player = season.players.find((one) => one.name === name);
  if (player === undefined) throw new Error(`no player ${name}`);
  return player;
};
const textIn = (frame: PanelFrame, name: string) =>
  comparisonText(comparisonOf(playerIn(frame, name), frame));
const chartIn = (frame: PanelFrame, name: string) =>
  markupOf(seasonChart(playerIn(frame, name), frame, panelTicks(frame)));

const HALF: Played = { distance: 5000, coverage: 0.526 };

describe("the panel of a season", () => {
  it("says why there is no figure: no recording, did not play, no figure, or not computed", () => {
    const last = {
      Ash: undefined,
      Bell: { distance: null, coverage: null },
      Cole: { distance: null, coverage: 0 },
    };
    const frame = frameOf(last);
    expect(["Ash", "Bell", "Cole"].map((name) => textIn(frame, name))).toEqual([
      "no recording",
      "did not play",
      "no figure",
    ]);
    for (const [name, text] of [
      ["Ash", "no recording"],
      ["Bell", "did not play"],
      ["Cole", "no figure"],
    ] as const) {
      expect(chartIn(frame, name)).toContain(`<title>Round 6, 2026-05-16: ${text}</title>`);
      expect(chartIn(frame, name)).toContain(`aria-label="${name}: – m, ${text}"`);
    }
    // a player without a heart rate has played
    const heart = columnOf("hr_mean_bpm");
    expect(textIn(frameOf({ Ash: WHOLE }, heart), "Ash")).toBe("no figure");
    // in the service, a share is unknown until the figures of all players are computed
    expect(textIn(frameOf({ Ash: { ...WHOLE, coverage: null } }, heart), "Ash")).toBe("no figure");
    const waiting = { ...frame, isNotComputed: (_: unknown, index: number) => index === 5 };
    expect(textIn(waiting, "Ash")).toBe("not computed");
    expect(chartIn(waiting, "Ash")).toContain("Round 6, 2026-05-16: not computed<");
  });

  it("marks sums and maxima as lower bounds if a part of the data is missing, with the share in the title", () => {
    const frame = frameOf({ Ash: HALF });
    expect(seasonCells(playerIn(frame, "Ash"), frame).slice(0, 2)).toEqual(["≥5,000", "≥−50 %"]);
    const chart = chartIn(frame, "Ash");
    expect(chart).toContain('aria-label="Ash: ≥5,000 m, ≥−50 %"');
    expect(chart).toContain("<title>Round 6, 2026-05-16: ≥5,000, 52 % with data</title>");
    expect(chart).toContain("<title>Round 5, 2026-05-09: 10,000</title>");
    const top = frameOf({ Ash: HALF }, columnOf("top_speed_km_per_h"));
    expect(seasonCells(playerIn(top, "Ash"), top)[0]).toBe("≥16.7");
    const nearly = frameOf({ Ash: { distance: 9900, coverage: 0.96 } });
    expect(seasonCells(playerIn(nearly, "Ash"), nearly)[0]).toBe("9,900");
  });

  it("marks a training impulse as a lower bound if heart rates are missing, and no distance", () => {
    const trimp = columnOf("trimp");
    const frame = frameOf({ Ash: { distance: 10_000, coverage: 1, trimp: 157, hrCoverage: 0.48 } }, trimp);
    expect(seasonCells(playerIn(frame, "Ash"), frame).slice(0, 2)).toEqual(["≥157", "≥−52 %"]);
    expect(chartIn(frame, "Ash")).toContain("<title>Round 6, 2026-05-16: ≥157, 48 % with data</title>");
    const ofDistance = { ...frame, column: DISTANCE };
    expect(seasonCells(playerIn(frame, "Ash"), ofDistance).slice(0, 2)).toEqual(["10,000", "±0 %"]);
  });

  it("compares the last match with figures of its halves", () => {
    const frame = frameOf({ Ash: WHOLE });
    expect(comparedIndex(frame.season)).toBe(5);
    expect(comparedIndex(frameOf({ Ash: { ...WHOLE, covers: "session" } }).season)).toBe(4);
    const chart = chartIn(frameOf({ Ash: WHOLE }), "Ash");
    expect(chart.match(/class="match"/g)).toHaveLength(5);
  });

  it("never marks a figure as outside the normal range if a part of the data is missing, except a lower bound above it", () => {
    const below = (key: string, last: Played) => textIn(frameOf({ Ash: last }, columnOf(key)), "Ash");
    const whole = { ...HALF, coverage: 1 };
    for (const key of ["distance_m", "top_speed_km_per_h"]) {
      expect(below(key, whole), key).toBe("▼ −50 %");
      expect(below(key, HALF), key).toBe("≥−50 %");
    }
    expect(below("minutes", { ...whole, minutes: 45 })).toBe("▼ −50 %");
    expect(below("minutes", HALF)).toBe("−47 %");
    expect(below("rate_m_per_min", whole)).toBe("▼ −50 %");
    expect(below("rate_m_per_min", HALF)).toBe("−50 %");
    // a tracker that was empty after 12 minutes
    expect(below("rate_m_per_min", { distance: 12_300, coverage: 0.13 })).toBe("+23 %");
    expect(below("distance_m", { distance: 15_000, coverage: 0.5 })).toBe("▲ ≥+50 %");
    const frame = frameOf({ Ash: HALF, Bell: { distance: 9000, coverage: 1 } });
    expect(farthestFirst(frame).map(({ name }) => name)).toEqual(["Bell", "Ash"]);
  });
});

describe("a comparison with matches", () => {
  const long: Played = { distance: 12_900, coverage: 1, covers: "session" };

  it("omits a match whose halves are not known, or of which a player was a part on the bench", () => {
    for (const last of [long, { ...WHOLE, distance: 4100, benchShare: 0.78 }]) {
      const frame = frameOf({ Ash: last });
      const cells = seasonCells(playerIn(frame, "Ash"), frame).slice(1, 3);
      expect(cells).toEqual(["not compared", "–"]);
      expect(chartIn(frame, "Ash")).not.toMatch(/class="(band|now out)"/);
    }
  });

  it("has no range for a sum of another playing time, whose minutes it shows, but for its rate", () => {
    const part: Played = { distance: 2400, rate: 130, coverage: 1, playedShare: 0.25, minutes: 22.4 };
    const frame = frameOf({ Ash: part, Bell: { ...WHOLE, distance: 9000 } });
    expect(comparisonOf(playerIn(frame, "Ash"), frame)).toMatchObject({ isOutside: false, share: null });
    expect(textIn(frame, "Ash")).toBe("new at 22 min");
    expect(farthestFirst(frame).map(({ name }) => name)).toEqual(["Bell", "Ash"]);
    const ofRate = frameOf({ Ash: part }, columnOf("rate_m_per_min"));
    expect(comparisonOf(playerIn(ofRate, "Ash"), ofRate).isOutside).toBe(true);
  });

  it("omits figures of less than 10 minutes, which are not the farthest from normal", () => {
    const short: Played = { distance: 560, rate: 160, coverage: 1, playedShare: 0.04, minutes: 5 };
    const frame = frameOf({ Ash: short, Bell: { ...WHOLE, rate: 103 } }, columnOf("rate_m_per_min"));
    const cells = seasonCells(playerIn(frame, "Ash"), frame).slice(0, 5);
    expect(cells).toEqual(["160", "under 10 minutes", "–", "100", "100"]);
    expect(chartIn(frame, "Ash")).not.toMatch(/class="(band|now out)"/);
    expect(chartIn(frame, "Ash")).toContain('aria-label="Ash: 160 m/min, under 10 minutes"');
    expect(farthestFirst(frame).map(({ name }) => name)).toEqual(["Bell", "Ash"]);
    // the last session of a player who did not play has no minutes
    const absent = frameOf({ Ash: { distance: null, coverage: null, playedShare: 0 } });
    expect(seasonCells(playerIn(absent, "Ash"), absent).slice(1, 3)).toEqual(["did not play", "10,000"]);
  });

  it("shows the share of a training session, but never marks it as outside", () => {
    const frame = frameOf({ Ash: { ...long, isMatch: false } });
    expect(textIn(frame, "Ash")).toBe("+29 %");
    expect(chartIn(frame, "Ash")).not.toContain('class="now out"');
  });
});

describe("a season of several sports", () => {
  it("draws only the sessions of the compared sport, and names the others", () => {
    const frame = frameOf({ Ash: { ...WHOLE, distance: 40_000, sport: "biking" }, Bell: undefined });
    expect([textIn(frame, "Ash"), chartIn(frame, "Ash").match(/<circle/g)?.length]).toEqual(["new", 1]);
    const note = (sport: string, names: string) =>
      `Sessions of another sport than ${sport} are in no mean, best value or normal range: ${names}.`;
    const rounds = "Round 1, Round 2, Round 3, Round 4, Round 5";
    expect(seasonNotes(frame.season, [DISTANCE])).toEqual([note("biking", rounds)]);
    const before = { ...frame, now: 4 };
    expect(Math.max(...panelTicks(before))).toBeLessThan(20_000);
    expect(seasonNotes(frame.season, [DISTANCE], 4)).toEqual([note("soccer", "Round 6")]);
    expect(seasonCells(playerIn(before, "Ash"), before).slice(3, 5)).toEqual(["10,000", "10,000"]);
  });
});

describe("the notes of a season", () => {
  it("count the rows that are too fast for each player, and ask for the sport", () => {
    const fast = (samples: number, duration: number) => ({ ...WHOLE, tooFast: { samples, duration } });
    const frame = frameOf({ Ash: fast(1, 0.2), Bell: fast(1203, 120.36), Cole: fast(0, 0) });
    expect(seasonNotes(frame.season, [DISTANCE])).toEqual([
      "Too fast for the sport and in no figure: Ash (1 row, 0.2 s), Bell (1203 rows, 120.4 s). Is the sport correct?",
    ]);
    expect(chartIn(frame, "Bell")).toContain(
      "<title>Round 6, 2026-05-16: 10,000, 1203 rows too fast</title>",
    );
    expect(chartIn(frame, "Cole")).toContain("<title>Round 6, 2026-05-16: 10,000</title>");
  });

  it("name the players on the bench with their matches, in one sentence", () => {
    const bench = { ...WHOLE, benchShare: 0.2 };
    const season = seasonWith({ Ash: bench, Bell: bench, Cole: { ...WHOLE, benchShare: 0.05 } });
    expect(seasonNotes(season, [DISTANCE])).toEqual([
      "Figures with more than 10 % of the time on the bench count in no mean and no normal range: Round 6 (Ash, Bell). Add the times of substitutes to the periods.",
    ]);
  });

  it("count the sessions with other thresholds than the compared one, for the figures that depend on them", () => {
    const base = seasonWith({ Ash: WHOLE, Bell: WHOLE });
    const limits = (isLast: boolean, name: string) => ({
      high_speed_from_m_per_s: isLast && name === "Ash" ? 4.722 : 5.5,
      sprint_from_m_per_s: 7,
      max_hr: isLast ? 190 : null,
    });
    const season = seasonOf(
      base.sessions.map((session, i) => ({
        ...session,
        rows: base.players.flatMap(({ name, entries }) => {
          const row = entries[i]?.row;
          const figures = { ...row?.figures, high_speed_m: 600, sprints: 12 };
          return row ? [{ ...row, figures, limits: limits(i === 5, name) }] : [];
        }),
      })),
    );
    const columns = ["distance_m", "high_speed_m", "sprints", "trimp"].map(columnOf);
    const note =
      "Sessions with another threshold or maximum heart rate are in no mean, best value or normal range: ";
    expect(seasonNotes(season, columns)).toEqual([
      `${note}High-speed distance: Ash (5); Training impulse (Edwards): Ash (5), Bell (5).`,
    ]);
    expect(seasonNotes(season, [columnOf("high_speed_m")], 4)).toEqual([
      `${note}High-speed distance: Ash (1).`,
    ]);
    expect(seasonNotes(season, [DISTANCE])).toEqual([]);
  });
});

describe("the text of a season", () => {
  it("marks the last share of a player if a part of the data is missing", () => {
    const order = { columns: [DISTANCE, columnOf("rate_m_per_min")], recipes: [], cautions: [] };
    const after = { loads: null, speedsOf: null };
    const text = seasonText(seasonWith({ Ash: HALF }), order, (ms) => new Date(ms).toISOString(), after);
    const lines = text.split("\n").map((line) => line.trim().split(/\s{2,}/));
    expect(lines).toContainEqual(["2026-05-16", "Round 6 M", "≥5,000", "50", "7 d"]);
    expect(lines).toContainEqual(["Last, against up to 5 matches", "≥50 %", "50 %"]);
    const fast = { ...WHOLE, tooFast: { samples: 12, duration: 1.2 } };
    const other = seasonText(seasonWith({ Ash: fast }), order, (ms) => new Date(ms).toISOString(), after);
    expect(other).toContain("Ash (12 rows, 1.2 s). Is the sport correct?");
    expect(other).toMatch(/Round 6 M .* 7 d {2}12 rows too fast\n/);
  });
});
