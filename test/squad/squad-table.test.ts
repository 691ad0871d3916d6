import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinedTexts } from "../../src/cli/run/squad-notices.js";
import { computeMetrics, computeRecipe, RECIPES, trimp } from "../../src/metrics/index.js";
import { figureOf, SQUAD_COLUMNS, sortRows, summaryOf, wholeRows } from "../../src/squad/columns.js";
import { readPeriods } from "../../src/squad/read-periods.js";
import { readRoster } from "../../src/squad/read-roster.js";
import { type SquadRecording, squadMembers } from "../../src/squad/squad-members.js";
import { memberFigures, squadRows } from "../../src/squad/squad-table.js";
import { marksOf } from "../../src/squad-report/row-marks.js";

const START_MS = Date.UTC(2025, 4, 17, 14, 30);

/** Speeds in mm/s at 10 Hz, with a heart rate each second. */
function recordingOf(serial: string, speeds: readonly number[], startMs = START_MS): SquadRecording {
  const { length } = speeds;
  return {
    fileName: `${serial}.asi`,
    serial,
    isDamaged: false,
    isTruncated: false,
    damagedAfterMs: [],
    samples: {
      length,
      timestampMs: Float64Array.from({ length }, (_, i) => startMs + i * 100),
      latitudeE7: new Int32Array(length),
      longitudeE7: new Int32Array(length),
      altitudeMm: new Int32Array(length),
      speedMmPerS: Int32Array.from(speeds),
      hr: Uint8Array.from({ length }, (_, i) => (i % 10 === 0 ? 120 + (i % 40) : 0)),
      fixType: new Uint8Array(length).fill(3),
    },
  };
}

const run = (seconds: number, mmPerS: number) => Array.from({ length: seconds * 10 }, () => mmPerS);

describe("the table of a squad", () => {
  it("has the same figures as each recording alone, digit by digit", () => {
    const speeds = fc.array(fc.integer({ min: 0, max: 14_000 }), { minLength: 20, maxLength: 200 });
    const seconds = fc.integer({ min: 0, max: 19 });
    fc.assert(
      fc.property(fc.array(speeds, { minLength: 1, maxLength: 4 }), seconds, seconds, (all, a, b) => {
        const recordings = all.map((one, i) => recordingOf(`TRK-${i}`, one));
        const [from, to] = [START_MS + Math.min(a, b) * 1000, START_MS + (Math.max(a, b) + 1) * 1000];
        const period = { name: "P", all: { startMs: from, endMs: to }, own: new Map(), line: 2 };
        const rows = squadRows(squadMembers(recordings, null), [period]);
        for (const { member, period: name, metrics } of rows) {
          const samples = member.recordings[0]?.samples ?? [];
          const alone = computeMetrics(samples, name === null ? {} : { from, to: to - 1 });
          if (metrics === null) expect(alone.first_timestamp).toBeNull();
          else expect({ ...metrics, definition: null }).toEqual({ ...alone, definition: null });
        }
      }),
    );
  });

  it("shows a reason instead of the count for a recipe that requires the quality of the rows", () => {
    const [sprint] = RECIPES.map(({ recipe }) => recipe);
    if (sprint === undefined) throw new Error("There are no recipes.");
    const recipes = [{ ...sprint, gate: { min_satellites: 6 } }, sprint];
    const samples = [...run(5, 2000), ...run(5, 8000), ...run(5, 2000)];
    const [member] = squadMembers([recordingOf("TRK-1", samples)], null);
    if (member === undefined) throw new Error("There is no member.");
    expect(() => memberFigures(member, null, { recipes })).toThrow(/^TRK-1: recipe\.gate needs/);
    const figures = memberFigures(member, null, { recipes, mayBeUncounted: true });
    expect(figures.recipes).toEqual([null, computeRecipe(member.recordings[0]?.samples ?? [], sprint)]);
    expect(figures.recipes?.[1]?.count).toBe(1);
    expect(figures.uncounted).toMatch(/^TRK-1: recipe\.gate needs/);
    expect(memberFigures(member, null, { recipes: [sprint], mayBeUncounted: true })).not.toHaveProperty(
      "uncounted",
    );
  });

  it("joins the recordings of a player who changed the tracker, with a gap", () => {
    const { roster } = readRoster("player,serial\nLang,TRK-1 TRK-2\n");
    const later = recordingOf("TRK-2", run(10, 3000), START_MS + 30_000);
    const [row] = squadRows(squadMembers([recordingOf("TRK-1", run(10, 3000)), later], roster), []);
    expect(row?.member.recordings).toHaveLength(2);
    // 9.9 s each: gaps are not bridged
    expect(row?.metrics?.total_distance).toBe(59.4);
  });

  it("shows the share of time with a valid heart rate, counting each moment once", () => {
    const shareOf = (change: (samples: SquadRecording["samples"]) => void) => {
      const one = recordingOf("TRK-1", run(100, 3000));
      change(one.samples);
      const [row] = squadRows(squadMembers([one], null), []);
      return [row?.hrCoverage, row?.metrics?.hr_avg];
    };
    const nobodyHas = ({ hr }: SquadRecording["samples"]) => hr.set(hr.map((bpm) => bpm && 250));
    expect(shareOf(nobodyHas)).toEqual([0, null]);
    // the second half has the same rows as the first, and only 40 s of 49.9 s have a heart rate
    const [share] = shareOf(({ timestampMs, hr }) => {
      timestampMs.copyWithin(500, 0, 500);
      hr.forEach((_, i) => {
        if (i % 500 > 350) hr[i] = 0;
      });
    });
    expect(share).toBeCloseTo(40 / 49.9, 10);
  });

  it("uses the gap limit of each tracker if the trackers of a player have different rates", () => {
    const { roster } = readRoster("player,serial\nLang,TRK-1 TRK-2\n");
    const slow = recordingOf("TRK-2", run(4, 3000), START_MS + 130_000);
    slow.samples.timestampMs.forEach((_, i, times) => {
      times[i] = START_MS + 130_000 + 4000 * i;
    });
    const recordings = [recordingOf("TRK-1", run(100, 2000)), slow];
    const alone = recordings.map(({ samples }) => computeMetrics(samples).total_distance ?? 0);
    const [row] = squadRows(squadMembers(recordings, roster), []);
    expect(row?.metrics?.total_distance).toBe((alone[0] ?? 0) + (alone[1] ?? 0));
    expect(alone).toEqual([199.8, 468]);
  });

  it("reports how many rows of a player do not count because another recording has the same time", () => {
    const { roster } = readRoster("player,serial\nLang,TRK-1 TRK-2\n");
    const first = recordingOf("TRK-1", run(100, 2000));
    const joined = (startMs: number) =>
      joinedTexts(squadMembers([first, recordingOf("TRK-2", run(100, 2000), startMs)], roster));
    expect(joined(START_MS + 90_000)).toEqual([
      "Lang: two recordings have rows at the same times; 100 rows of the later recording not used",
    ]);
    expect(joined(START_MS + 200_000)).toEqual([]);
  });

  it("uses the longest of a player's simultaneous recordings, and reports the omitted ones", () => {
    const { roster } = readRoster("player,file\nAnn,TRK-*\n");
    const recordings = [
      recordingOf("TRK-1", run(100, 2000)),
      recordingOf("TRK-2", run(120, 3000)),
      recordingOf("TRK-3", run(5, 4000), START_MS + 60_000),
    ];
    const [row, ...others] = squadRows(squadMembers(recordings, roster), []);
    if (row === undefined) throw new Error("no row");
    expect(others).toEqual([]);
    const alone = computeMetrics(recordings[1]?.samples ?? []);
    expect(row.metrics?.total_distance).toBe(alone.total_distance);
    expect(row.member.leftOut.map(({ serial }) => serial)).toEqual(["TRK-1", "TRK-3"]);
    expect(row.member.recordings.map(({ serial }) => serial)).toEqual(["TRK-2"]);
    expect(marksOf(row)).toContain("2 overlapping left out");
  });

  it("treats recordings of one tracker as those of one player without a roster, and recordings without a serial number as separate", () => {
    const half = run(50, 3000);
    const members = squadMembers(
      [
        { ...recordingOf("TRK-1", run(100, 3000)), fileName: "whole.asi" },
        { ...recordingOf("trk-1", half), fileName: "cut.asi" },
        { ...recordingOf("TRK-1", half, START_MS + 120_000), fileName: "again.asi" },
        { ...recordingOf("", half), fileName: "x.asi" },
        { ...recordingOf("", half), fileName: "y.asi" },
      ],
      null,
    );
    const names = (some: readonly SquadRecording[]) => some.map(({ fileName }) => fileName);
    expect(members.map(({ name, recordings, leftOut }) => [name, names(recordings), names(leftOut)])).toEqual(
      [
        ["whole", ["whole.asi", "again.asi"], ["cut.asi"]],
        ["x", ["x.asi"], []],
        ["y", ["y.asi"], []],
      ],
    );
  });

  it("joins trackers that overlap for a moment, for example when a tracker is changed", () => {
    const { roster } = readRoster("player,serial\nLang,TRK-1 TRK-2\n");
    const later = recordingOf("TRK-2", run(100, 3000), START_MS + 90_000);
    const [member] = squadMembers([recordingOf("TRK-1", run(100, 3000)), later], roster);
    expect(member?.recordings).toHaveLength(2);
    expect(member?.leftOut).toEqual([]);
  });

  it("has the training impulse of each player that the library returns for the same samples, interval and maximum", () => {
    const column = SQUAD_COLUMNS.find(({ key }) => key === "trimp") ?? expect.fail();
    const heartRates = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 80 });
    const second = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(
        heartRates,
        fc.integer({ min: 60, max: 240 }),
        fc.array(second, { maxLength: 6 }),
        (hr, maxHr, times) => {
          const recording = recordingOf("TRK-1", run(8, 2000));
          recording.samples.hr.fill(0);
          // ten rows a second, and a heart rate in each of the first ones
          recording.samples.hr.set(hr);
          const ends = [...new Set(times)].sort().map((s) => START_MS + s * 1000);
          const intervals = ends.flatMap((startMs, i) =>
            i % 2 === 0 ? [{ startMs, endMs: ends[i + 1] ?? startMs + 500 }] : [],
          );
          const { roster } = readRoster(`player;serial;max_hr\nAda;TRK-1;${maxHr}\n`);
          const period = { name: "P", all: null, own: new Map([["ada", intervals]]), line: 2 };
          const [whole, part] = squadRows(squadMembers([recording], roster), [period]);
          const method = { method: "edwards", maxHr } as const;
          expect(whole && figureOf(whole, column)).toBe(trimp(recording.samples, method));
          const limits = { periods: intervals };
          const expected = intervals.length === 0 ? null : trimp(recording.samples, method, limits);
          expect(part && figureOf(part, column)).toBe(expected);
        },
      ),
    );
  });

  it("has no training impulse without a heart rate, or without a maximum; a birth date implies a maximum", () => {
    const column = SQUAD_COLUMNS.find(({ key }) => key === "trimp") ?? expect.fail();
    // four minutes at 150 bpm, all but the last row
    const steady = (serial: string, bpm: number) => {
      const recording = recordingOf(serial, run(240, 2000));
      recording.samples.hr.fill(bpm);
      return recording;
    };
    const impulses = (sheet: string, bpm: number, options = {}) => {
      const { roster } = readRoster(sheet);
      const recordings = roster.players.map(({ serials }) => steady(serials[0] ?? "", bpm));
      return squadRows(squadMembers(recordings, roster), [], options).map((row) => figureOf(row, column));
    };
    const sheet =
      "player;serial;max_hr;birth_date\nAda;TRK-1;200;\nBea;TRK-2;;\nCleo;TRK-3;;1985-05-17\nDora;TRK-4;160;1985-05-17\n";
    // 150 is 75 % of 200, 83 % of 208 - 0.7 x 40 = 180, and 94 % of 160
    expect(impulses(sheet, 150)).toEqual([12, null, 16, 20]);
    expect(impulses(sheet, 150, { params: { max_hr: 150 } })).toEqual([12, 20, 20, 20]);
    expect(impulses(sheet, 0)).toEqual([null, null, null, null]);
    expect(impulses(sheet, 90)).toEqual([0, null, 4, 4]);
  });

  it("uses the individual thresholds of a player", () => {
    const { roster } = readRoster("player,serial,sprint,high_speed\nKunz,TRK-1,5 m/s,4 m/s\nVogel,TRK-2,,\n");
    const fast = run(5, 5200);
    const rows = squadRows(
      squadMembers([recordingOf("TRK-1", fast), recordingOf("TRK-2", fast)], roster),
      [],
    );
    const figures = (key: string) => {
      const column = SQUAD_COLUMNS.find((one) => one.key === key);
      return rows.map((row) => (column === undefined ? null : figureOf(row, column)));
    };
    expect(figures("sprints")).toEqual([1, 0]);
    expect(figures("high_speed_m")).toEqual([25.48, 0]);
  });

  it("has an empty row instead of an error for a player who is absent in a period", () => {
    const players = ["TRK-1", "TRK-2"];
    const recordings = [recordingOf("TRK-1", run(60, 3000)), recordingOf("TRK-2", run(20, 3000))];
    const where = { session: { startMs: START_MS, endMs: START_MS + 60_000 }, players };
    const { periods } = readPeriods(
      "period,start,end,player\nEnd,14:30:30,14:31,\nBench,14:30,14:31,TRK-1\n",
      where,
    );
    const rows = squadRows(squadMembers(recordings, null), periods);
    const [late, bench] = rows.filter(({ member, period }) => member.name === "TRK-2" && period !== null);
    expect(late).toMatchObject({ metrics: null, coverage: 0, periodMs: 30_000 });
    expect(bench).toMatchObject({ metrics: null, coverage: null, periodMs: 0 });
  });

  it("shows the share of time with data and with a heart rate; a break of all players is not part of the session", () => {
    const whole = recordingOf("TRK-1", run(100, 3000));
    const half = recordingOf("TRK-2", run(50, 3000));
    const [first, second] = squadRows(squadMembers([whole, half], null), []);
    expect(first?.coverage).toBeCloseTo(0.999, 3);
    expect(second?.coverage).toBeCloseTo(0.499, 3);
    expect(first?.hrCoverage).toBe(1);
  });

  it("includes in means only players with almost the whole period, and sorts missing values last", () => {
    const rows = squadRows(
      squadMembers(
        [
          recordingOf("TRK-1", run(100, 2000)),
          recordingOf("TRK-2", run(100, 3000)),
          recordingOf("TRK-3", run(20, 9000)),
        ],
        null,
      ),
      [],
    );
    const distance = SQUAD_COLUMNS.find(({ key }) => key === "distance_m");
    const heartRate = SQUAD_COLUMNS.find(({ key }) => key === "hr_mean_bpm");
    if (distance === undefined || heartRate === undefined) throw new Error("no such column");
    expect(summaryOf(rows, distance, wholeRows(rows))).toEqual({ mean: (199.8 + 299.7) / 2, highest: 299.7 });
    const names = (ascending: boolean) =>
      sortRows(rows, distance, ascending).map(({ member }) => member.name);
    expect(names(false)).toEqual(["TRK-2", "TRK-1", "TRK-3"]);
    expect(names(true)).toEqual(["TRK-3", "TRK-1", "TRK-2"]);
    const missing = rows.map((row, i) => (i === 0 ? { ...row, metrics: null } : row));
    expect(sortRows(missing, heartRate, true).at(-1)?.member.name).toBe("TRK-1");
  });

  it("sorts equal values by number, and players without one last", () => {
    const { roster } = readRoster("player;serial;number\nAda;TRK-1;\nBea;TRK-2;10\nCleo;TRK-3;9\n");
    const recordings = ["TRK-1", "TRK-2", "TRK-3"].map((serial) => recordingOf(serial, run(100, 2000)));
    const rows = squadRows(squadMembers(recordings, roster), []);
    const distance = SQUAD_COLUMNS.find(({ key }) => key === "distance_m") ?? expect.fail();
    for (const ascending of [false, true])
      expect(sortRows(rows, distance, ascending).map(({ member }) => member.name)).toEqual([
        "Cleo",
        "Bea",
        "Ada",
      ]);
  });

  it("has no number of accelerations if a tracker had fewer than 5 rows per second in more than a twentieth of the time", () => {
    const sprints = (seconds: number) =>
      Array.from({ length: seconds * 10 }, (_, i) => {
        const second = (i / 10) % 10;
        // 2 to 6 m/s and back at 2 m/s2 and more
        return 4000 - 2500 * Math.cos((Math.PI * second) / 2.5);
      }).map(Math.round);
    const half = (minutes: number) => ({
      startMs: START_MS + 60_000 * minutes,
      endMs: START_MS + 60_000 * (minutes + 10),
    });
    const periods = [0, 10].map((minutes, i) => ({
      name: `${i + 1}`,
      all: half(minutes),
      own: new Map(),
      line: 0,
    }));
    const countsWith = (slowSeconds: number) => {
      const fast = recordingOf("TRK-1", sprints(600));
      const slow = recordingOf("TRK-2", run(slowSeconds / 10, 3000));
      const times = slow.samples.timestampMs.map((_, i) => START_MS + 600_000 + 1000 * i);
      const second = { ...slow, samples: { ...slow.samples, timestampMs: times } };
      const { roster } = readRoster("player;serial\nAda;TRK-1 TRK-2\n");
      const [of = expect.fail()] = [SQUAD_COLUMNS.find(({ key }) => key === "accelerations")];
      return squadRows(squadMembers([fast, second], roster), periods).map((row) => [
        row.coverage && Math.round(100 * row.coverage),
        figureOf(row, of),
      ]);
    };
    const all = computeMetrics(recordingOf("TRK-1", sprints(600)).samples).accelerations;
    const count = all.threshold_1.values.length + all.threshold_2.values.length;
    expect(count).toBeGreaterThan(50);
    const [whole = [], first, second = []] = countsWith(600);
    expect([whole, first, second[1]]).toEqual([[100, null], [100, count], null]);
    expect(countsWith(20)[0]).toEqual([100, count]);
  });
});
