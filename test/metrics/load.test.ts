import { describe, expect, it } from "vitest";
import {
  loadOverDays,
  type SessionLoad,
  weekOf,
  weightedMeans,
} from "../../src/metrics/load/load-over-days.js";
import { trimp, trimpOf } from "../../src/metrics/load/trimp.js";
import { CORPUS, committed, expected, rowsOf } from "./figures/corpus.js";
import { plantedLoad } from "./figures/planted.js";
import { columnsOf } from "./golden/sessions.js";

// expected/load.json was computed by an independent program, whose weighted means agree with those of the R package ACWR to 1e-13.

interface Series {
  acute: number[];
  chronic: number[];
  week_sum: (number | null)[];
  monotony: (number | null)[];
  strain: (number | null)[];
  ratio: number[];
}
const golden = expected<
  Record<"distance_m" | "hsr_m" | "trimp", Series> & {
    percent_of_match_reference_10400_m: number[];
    trimp_truth: Record<"banister_men" | "banister_women" | "edwards" | "lucia_vt1_140_vt2_170", number>;
  }
>("load.json");

const closeTo = (own: readonly (number | null | undefined)[], wanted: readonly (number | null)[]) => {
  expect(own.length).toBe(wanted.length);
  wanted.forEach((value, i) => {
    if (value === null) expect(own[i] ?? null).toBeNull();
    else expect(own[i]).toBeCloseTo(value, 7);
  });
};

const dayAfter = (n: number) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10);
const sessionsOf = (loads: readonly (number | null)[]): SessionLoad[] =>
  loads.map((load, i) => ({ day: dayAfter(i), load }));

describe("load over weeks", () => {
  it.each(["distance_m", "hsr_m", "trimp"] as const)(
    "equals the result of the independent program for the planted %s",
    (name) => {
      const column = { distance_m: 0, hsr_m: 1, trimp: 2 }[name];
      const loads = plantedLoad().map((day) => day[column] ?? 0);
      closeTo(weightedMeans(loads, 7), golden[name].acute);
      closeTo(weightedMeans(loads, 28), golden[name].chronic);
      const weeks = loads.map((_, i) => weekOf(loads, i));
      closeTo(
        weeks.map((week) => week?.sum),
        golden[name].week_sum,
      );
      closeTo(
        weeks.map((week) => week?.monotony),
        golden[name].monotony,
      );
      closeTo(
        weeks.map((week) => week?.strain),
        golden[name].strain,
      );
      const ratios = loadOverDays(sessionsOf(loads), { ratio: true }).map(({ ratio }) => ratio);
      closeTo(
        ratios,
        golden[name].ratio.map((ratio, i) => (i < 27 ? null : Math.floor(100 * ratio + 0.5) / 100)),
      );
    },
  );

  it("equals the weighted means of the R package ACWR", () => {
    const acwr =
      expected<Record<"ID" | "TL" | "EWMA_acute" | "EWMA_chronic" | "EWMA_ACWR", number[]>>(
        "upstream_acwr.json",
      );
    for (const id of new Set(acwr.ID)) {
      const of = (column: readonly number[]) => column.filter((_, i) => acwr.ID[i] === id);
      closeTo(weightedMeans(of(acwr.TL), 7), of(acwr.EWMA_acute));
      closeTo(weightedMeans(of(acwr.TL), 28), of(acwr.EWMA_chronic));
      const ratios = loadOverDays(sessionsOf(of(acwr.TL)), { ratio: true }).map(({ ratio }) => ratio);
      const theirs = of(acwr.EWMA_ACWR).slice(27);
      expect(theirs.length).toBeGreaterThan(0);
      ratios.slice(27).forEach((ratio, i) => {
        expect(Math.abs((ratio ?? 0) - (theirs[i] ?? 0))).toBeLessThanOrEqual(0.005 + 1e-9);
      });
    }
  });

  it("relates each day to the matches before it", () => {
    const sessions = plantedLoad().map(([load], i) => ({
      day: dayAfter(i),
      load,
      ...(i % 7 === 4 && { matchMinutes: 90 }),
    }));
    const percent = loadOverDays(sessions).map((day) => day.percent_of_match);
    expect(percent.slice(0, 4)).toEqual([null, null, null, null]);
    closeTo(
      percent.slice(4),
      golden.percent_of_match_reference_10400_m.slice(4).map((x) => Math.floor(10 * x + 0.5) / 10),
    );
    const short = [
      { day: "2025-01-01", load: 100, matchMinutes: 74 },
      { day: "2025-01-02", load: 50 },
    ];
    expect(loadOverDays(short)[1]?.percent_of_match).toBeNull();
  });

  it("equals the daily load if all days are equal, without monotony", () => {
    const days = loadOverDays(sessionsOf(Array.from({ length: 56 }, () => 100)), { ratio: true });
    expect(days[55]).toEqual({
      day: "2025-02-25",
      load: 100,
      acute: 100,
      chronic: 100,
      week_sum: 700,
      monotony: null,
      strain: null,
      percent_of_match: null,
      ratio: 1,
    });
  });

  it("adds up the sessions of a day, and counts days without a session as rest", () => {
    const days = loadOverDays(
      [
        { day: "2025-03-01", load: 5 },
        { day: "2025-02-27", load: 1 },
        { day: "2025-03-01", load: 2 },
      ],
      { to: "2025-03-02" },
    );
    expect(days.map(({ day, load }) => [day, load])).toEqual([
      ["2025-02-27", 1],
      ["2025-02-28", 0],
      ["2025-03-01", 7],
      ["2025-03-02", 0],
    ]);
    expect(loadOverDays([])).toEqual([]);
  });

  it("hides the weighted means before day 28, and returns the ratio only on request", () => {
    const days = loadOverDays(sessionsOf(plantedLoad().map(([distance]) => distance)));
    expect(days[26]).toMatchObject({ acute: null, chronic: null });
    expect(days[27]?.acute).not.toBeNull();
    expect(days[27]).not.toHaveProperty("ratio");
  });

  it("a missing day makes the sums that include it unknown, and does not change the weighted means", () => {
    const loads = plantedLoad().map(([distance], i) => (i === 30 ? null : distance));
    const days = loadOverDays(sessionsOf(loads));
    expect(days[30]).toMatchObject({ load: null, acute: days[29]?.acute, week_sum: null });
    expect(days[36]?.week_sum).toBeNull();
    expect(days[37]?.week_sum).not.toBeNull();
    const doubled = [...sessionsOf(loads), { day: dayAfter(30), load: 7 }];
    expect(loadOverDays(doubled)[30]?.load).toBeNull();
  });

  it("refuses days that are ten years apart, because one of them is wrong", () => {
    const on =
      (...days: string[]) =>
      () =>
        loadOverDays(days.map((day) => ({ day, load: 1 })));
    expect(on("2020-01-01", "2030-01-07")()).toHaveLength(3660);
    expect(on("2020-01-01", "2030-01-08")).toThrow(
      "The days are from 2020-01-01 to 2030-01-08, more than 3660. Remove sessions with a wrong date.",
    );
  });

  it("refuses values that are not a day or a load", () => {
    expect(() => loadOverDays([{ day: "1.3.2025", load: 1 }])).toThrow(/must be a date such as/);
    expect(() => loadOverDays([{ day: "2025-03-01", load: -1 }])).toThrow(/at least 0, or null/);
    expect(() => loadOverDays([], { acwr: true } as never)).toThrow(/"acwr" is unknown/);
  });

  it.skipIf(CORPUS === null)("the planted days equal those of the corpus", () => {
    expect(rowsOf(`${CORPUS}data/planted_load.csv`).map((row) => row.slice(1))).toEqual(plantedLoad());
    for (const name of ["load.json", "upstream_acwr.json"])
      expect(JSON.parse(committed(name))).toEqual(expected(name));
  });
});

describe("training impulses", () => {
  // 30 min at 120, 20 at 150, 10 at 180 bpm
  const held = new Float64Array(241);
  held[120] = 30 * 60_000;
  held[150] = 20 * 60_000;
  held[180] = 10 * 60_000;
  const oneDecimal = (x: number) => Math.floor(10 * x + 0.5) / 10;
  const truth = golden.trimp_truth;

  it("match a manual computation for the example: 81.9, 92.8, 170 and 100", () => {
    const banister = { method: "banister", maxHr: 200, restHr: 50 } as const;
    expect([
      trimpOf(held, { ...banister, sex: "male" }),
      trimpOf(held, { ...banister, sex: "female" }),
      trimpOf(held, { method: "edwards", maxHr: 200 }),
      trimpOf(held, { method: "lucia", thresholds: [140, 170] }),
    ]).toEqual([81.9, 92.8, 170, 100]);
    expect(
      [truth.banister_men, truth.banister_women, truth.edwards, truth.lucia_vt1_140_vt2_170].map(oneDecimal),
    ).toEqual([81.9, 92.8, 170, 100]);
  });

  it("keep a heart rate for 5 s at most, and end with the last sample", () => {
    const samples = columnsOf([
      { t: 0, speed: -1, hr: 180 },
      { t: 60_000, speed: -1, hr: 180 },
      { t: 62_000, speed: 0 },
    ]);
    // 7 s with weight 5
    expect(trimp(samples, { method: "edwards", maxHr: 200 })).toBe(0.6);
    expect(trimp([], { method: "edwards", maxHr: 200 })).toBeNull();
  });

  it.each<[object, RegExp]>([
    [{ method: "foster" }, /use banister, edwards or lucia/],
    [{ method: "edwards", maxHr: 20 }, /maxHr is 20; it must be from 30 to 240/],
    [{ method: "banister", maxHr: 60, restHr: 60, sex: "male" }, /restHr must be below/],
    [{ method: "banister", maxHr: 200, restHr: 60, sex: null }, /weights exist for "female" and "male" only/],
    [{ method: "lucia", thresholds: [170, 140] }, /must be in ascending order/],
  ])("refuse %j", (method, message) => {
    expect(() => trimp([], method as never)).toThrow(message);
  });
});
