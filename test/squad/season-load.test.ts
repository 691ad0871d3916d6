import { describe, expect, it } from "vitest";
import type { PlayedSession } from "../../src/squad/season.js";
import { seasonLoad } from "../../src/squad/season-load.js";
import {
  column,
  DAY_MS,
  dayOf,
  distance,
  kunzIn,
  LIMITS,
  START_MS,
  session,
  withRow,
} from "./season-scene.js";

describe("the load of a season", () => {
  it("contains the load of each day: rest without a recording, and a share of the matches of at least 75 minutes", () => {
    const kunz = kunzIn(
      session(0, 8000),
      session(2, 4000, false, 60),
      session(3, 6000, true, 60),
      session(4, null),
    );
    const days = seasonLoad(kunz, distance, dayOf);
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
      seasonLoad(kunzIn(...sessions), trimp, dayOf).map(({ load }) => load);
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

  it("counts a session that lacks 5 to 10 % of its data, marked as a lower bound, but not as a reference", () => {
    // begins 5 of 90 minutes late
    const late = (day: number, coverage = 85 / 90) =>
      withRow(session(day, 7500, true, 90 * coverage), { coverage });
    const loads = (...sessions: PlayedSession[]) =>
      seasonLoad(kunzIn(...sessions), distance, dayOf).map((one) => [
        one.load,
        one.isAtLeast,
        one.percent_of_match,
      ]);
    expect(loads(session(0, 8000), late(1), late(2, 0.9), late(3, 0.899), session(4, 4000, false))).toEqual([
      [8000, false, 100],
      [7500, true, 93.8],
      [7500, true, 93.8],
      [null, false, null],
      [4000, false, 50],
    ]);
    // a strap that fails for some minutes
    const strap = (hrCoverage: number) => withRow(session(0, 8000), { hrCoverage, figures: { trimp: 300 } });
    const ofStrap = (hrCoverage: number) =>
      seasonLoad(kunzIn(strap(hrCoverage)), column("trimp"), dayOf).map((one) => [one.load, one.isAtLeast]);
    expect([ofStrap(0.95), ofStrap(0.92), ofStrap(0.89)]).toEqual([
      [[300, false]],
      [[300, true]],
      [[null, false]],
    ]);
  });

  it("adds no loads of different sports, and does not begin after a session of another sport", () => {
    const ride = { ...session(1, 40_000, false), sport: "biking" };
    const days = seasonLoad(kunzIn(session(0, 8000), ride, session(2, 9000)), distance, dayOf);
    expect(days.map(({ load }) => load)).toEqual([8000, null, 9000]);
  });
});
