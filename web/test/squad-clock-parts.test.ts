/** Tests of the parts of the squad's clock that need no browser. */
import { signal } from "@preact/signals";
import type { SampleBatch } from "asi-convert";
import { nameKey, type SessionPeriod } from "asi-convert/squad";
import { describe, expect, it } from "vitest";
import { demoSquad } from "../../src/recording/demo-squad.js";
import { changesOf, onIntervals } from "../src/squad/clock/on-pitch.js";
import { outside, renamed, withEnds, withOwn, withPlayedPeriod } from "../src/squad/clock/period-edits.js";
import { lanesOf } from "../src/squad/clock/period-lanes.js";
import { meanSpeeds } from "../src/squad/clock/strip-columns.js";
import { levelsOf, NOTHING, OFF } from "../src/squad/clock/strips.js";
import { type ClockRecording, wrongClocks } from "../src/squad/clock/wrong-clocks.js";
import type { Plane } from "../src/squad/map/plane.js";
import { speedAt, trackIn } from "../src/squad/map/positions.js";
import { speedSeries } from "../src/squad/map/speed-series.js";
import { PeriodSteps } from "../src/squad/period-steps.js";
import type { SquadPlayer } from "../src/squad/squad-session.js";

const MINUTE = 60_000;
const span = (from: number, to: number) => ({ startMs: from * MINUTE, endMs: to * MINUTE });

function period(
  name: string,
  from: number,
  to: number,
  own: Record<string, [number, number][]> = {},
): SessionPeriod {
  const entries = Object.entries(own).map(
    ([player, spans]) => [nameKey(player), spans.map(([a, b]) => span(a, b))] as const,
  );
  return { name, all: span(from, to), own: new Map(entries), line: 0 };
}

/** Returns rows every 100 ms with the speed of their second. */
function samples(kmPerH: readonly number[], startMs = 0): SampleBatch {
  const length = kmPerH.length * 10;
  return {
    length,
    timestampMs: Float64Array.from({ length }, (_, i) => startMs + i * 100),
    speedMmPerS: Int32Array.from({ length }, (_, i) =>
      Math.round((kmPerH[Math.floor(i / 10)] ?? 0) / 0.0036),
    ),
  } as SampleBatch;
}

/** Ten rows a second to 10 s and from 13 to 23 s, then a row every 5 s. */
const PARTS = (() => {
  const times = [
    ...Array.from({ length: 101 }, (_, i) => 100 * i),
    ...Array.from({ length: 101 }, (_, i) => 13_000 + 100 * i),
    ...Array.from({ length: 30 }, (_, i) => 25_000 + 5000 * i),
  ];
  return {
    length: times.length,
    timestampMs: Float64Array.from(times),
    speedMmPerS: new Int32Array(times.length).fill(3000),
    latitudeE7: new Int32Array(times.length),
    longitudeE7: new Int32Array(times.length),
  } as SampleBatch;
})();

describe("the map", () => {
  const player = { recordings: [{ samples: PARTS, startMs: 0 }] } as unknown as SquadPlayer;
  const plane = { at: () => ({ x: 0, y: 0 }), origin: { latitudeE7: 0, longitudeE7: 0 } } as unknown as Plane;

  it("has no position of a player during an outage of a fast part, but has one between the rows of a slow part", () => {
    expect([9_950, 11_500, 31_000].map((ms) => speedAt(player, ms))).toEqual([3000, null, 3000]);
    expect([...speedSeries(player).gapsAfter]).toEqual([100]);
  });

  it("draws no line over an outage or between two intervals, even for a short break", () => {
    const intervals = [
      { startMs: 5000, endMs: 15_000 },
      { startMs: 15_500, endMs: 20_000 },
    ];
    const { timesMs, gapsAfter } = trackIn(player, intervals, plane, () => false);
    expect([...gapsAfter].map((row) => timesMs[row])).toEqual([10_000, 14_900]);
    const later = { ...PARTS, timestampMs: PARTS.timestampMs.map((ms) => ms + 200_000) };
    const recordings = [
      { samples: PARTS, startMs: 0 },
      { samples: later, startMs: 200_000 },
    ];
    const both = trackIn({ recordings } as unknown as SquadPlayer, null, plane, () => false);
    expect([...both.gapsAfter].map((row) => both.timesMs[row])).toEqual([10_000, 170_000, 210_000]);
    const whole = trackIn(player, null, plane, () => false);
    expect([...whole.gapsAfter].map((row) => whole.timesMs[row])).toEqual([10_000]);
  });
});

describe("a strip", () => {
  const rows = samples(Array.from({ length: 20 }, (_, second) => (second < 10 ? 4 : 12)));

  it("has the mean speed of each column", () => {
    const means = meanSpeeds(rows, { startMs: 0, stopMs: 20_000 }, 4, 12_000);
    expect([...means].map((mean) => Math.round(mean * 100) / 100)).toEqual([4, 4, 12, 12]);
    // a column with two different halves has their mean
    expect(meanSpeeds(rows, { startMs: 0, stopMs: 20_000 }, 1, 12_000)[0]).toBeCloseTo(8, 2);
    expect(meanSpeeds(rows, { startMs: 8000, stopMs: 12_000 }, 2, 12_000)[1]).toBeCloseTo(12, 2);
  });

  it("omits the same rows as the figures, and marks times without data", () => {
    const means = meanSpeeds(rows, { startMs: -5000, stopMs: 25_000 }, 6, 2000);
    expect([...means].map((mean) => (Number.isNaN(mean) ? null : Math.round(mean)))).toEqual([
      null,
      4,
      4,
      null,
      null,
      null,
    ]);
  });

  it("preserves a speed between rows that are far apart on the screen", () => {
    const means = meanSpeeds(rows, { startMs: 1000, stopMs: 1200 }, 8, 12_000);
    expect([...means].every((mean) => Math.abs(mean - 4) < 0.01)).toBe(true);
  });

  it("does not preserve a speed across an outage of a fast part, but preserves it between the rows of a slow part", () => {
    const all = (startMs: number, stopMs: number) => meanSpeeds(PARTS, { startMs, stopMs }, 20, 12_000);
    expect([...all(10_200, 12_800)].every(Number.isNaN)).toBe(true);
    expect([...all(31_000, 34_000)].some(Number.isNaN)).toBe(false);
  });

  it("is a line for a player who is recorded but does not play", () => {
    const means = Float32Array.of(8, 8, Number.NaN, 16);
    const window = { startMs: 0, stopMs: 4 * MINUTE };
    expect([...levelsOf(means, [span(1, 4)], window)]).toEqual([OFF, 32, NOTHING, 63]);
    expect([...levelsOf(means, null, window)]).toEqual([32, 32, NOTHING, 63]);
  });
});

describe("the players on the pitch", () => {
  const match = [
    period("1st half", 0, 45, { Sub: [], Early: [[0, 30]] }),
    period("2nd half", 60, 105, { Sub: [[80, 105]], Early: [], Half: [] }),
  ];
  const changes = (player: string) =>
    changesOf(match, player).map(({ atMs, kind }) => `${kind} ${atMs / MINUTE}`);

  it("change within a half and between halves", () => {
    expect(changes("Whole")).toEqual([]);
    expect(changes("Sub")).toEqual(["on 80"]);
    expect(changes("Early")).toEqual(["off 30"]);
    expect(changes("Half")).toEqual(["off 45"]);
  });

  it("include all players at all times if there are no periods", () => {
    expect(onIntervals([], "Whole")).toBe(null);
    expect(onIntervals(match, "Sub")).toEqual([span(80, 105)]);
  });
});

describe("periods above the clock", () => {
  it("are in at most three lanes, with a drill below its half", () => {
    expect(lanesOf([span(0, 45), span(10, 20), span(60, 105)])).toEqual([0, 1, 0]);
    expect(lanesOf([span(0, 40), span(0, 30), span(0, 20), span(0, 10)])).toEqual([0, 1, 2, 2]);
  });

  it("move their ends together with those of substitutes", () => {
    const [moved] = withEnds(
      [period("Half", 0, 45, { Sub: [[30, 45]], Off: [[0, 40]] })],
      "Half",
      span(0, 38),
    );
    expect(moved?.own.get("sub")).toEqual([span(30, 38)]);
    expect(moved?.own.get("off")).toEqual([span(0, 38)]);
  });

  it("keep the times of players when a mistyped end is corrected in a later change", () => {
    const before = [period("2nd half", 61, 109, { Starter: [[61, 75]], Substitute: [[75, 109]] })];
    const typed = withEnds(before, "2nd half", span(61, 65));
    expect(typed).toMatchObject([period("2nd half", 61, 65, { Starter: [[61, 65]], Substitute: [] })]);
    expect(outside(typed[0] as SessionPeriod)).toEqual([nameKey("Starter"), nameKey("Substitute")]);
    const corrected = withEnds(typed, "2nd half", span(61, 110));
    expect(corrected).toMatchObject([
      period("2nd half", 61, 110, { Starter: [[61, 75]], Substitute: [[75, 110]] }),
    ]);
    expect(outside(corrected[0] as SessionPeriod)).toEqual([]);
    // also if something else has changed in between
    const other = withOwn(renamed(typed, "2nd half", "Half"), "Half", "Third", [span(62, 65)]);
    expect(withEnds(other, "Half", span(61, 110))).toMatchObject([
      period("Half", 61, 110, { Starter: [[61, 75]], Substitute: [[75, 110]], Third: [[62, 110]] }),
    ]);
    const without = withOwn(typed, "2nd half", "Substitute", null);
    expect(withEnds(without, "2nd half", span(61, 110))).toMatchObject([
      period("2nd half", 61, 110, { Starter: [[61, 75]] }),
    ]);
  });

  it("move only times of players that have the ends of the period at that moment", () => {
    const half = withPlayedPeriod([], "1st half", span(0, 45), []);
    const earlier = withEnds(half, "1st half", span(-2, 45));
    const withBea = withOwn(earlier, "1st half", "Bea", [span(0, 30)]);
    const [later] = withEnds(withBea, "1st half", span(-2, 47));
    expect(later?.own.get("bea")).toEqual([span(0, 30)]);
  });

  it("keep a part that a mistyped end cuts off, also if another part of the player is edited meanwhile", () => {
    const half = withOwn(withPlayedPeriod([], "1st half", span(0, 45), []), "1st half", "Bea", [
      span(0, 10),
      span(35, 45),
    ]);
    const typed = withEnds(half, "1st half", span(0, 30));
    const edited = withOwn(typed, "1st half", "Bea", [span(0, 12)]);
    expect(outside(edited[0] as never)).toEqual(["bea"]);
    const [corrected] = withEnds(edited, "1st half", span(0, 45));
    expect(corrected?.own.get("bea")).toEqual([span(0, 12), span(35, 45)]);
    expect(outside(corrected as never)).toEqual([]);
  });

  it("omit the time that players sit out by other periods if they are created from a selection", () => {
    const half = period("1st half", 0, 45, { Meier: [[0, 30]], Huber: [[30, 45]] });
    const [, drill] = withPlayedPeriod([half], "Drill", span(20, 40), ["Keller", "Meier", "Huber"]);
    expect(drill).toMatchObject({ name: "Drill", all: span(20, 40) });
    expect(drill?.own).toEqual(
      new Map([
        [nameKey("Meier"), [span(20, 30)]],
        [nameKey("Huber"), [span(30, 40)]],
      ]),
    );
  });

  it("support undo over 50 steps, and a drag is one step", () => {
    const steps = new PeriodSteps(signal({ recordings: [1], all: [1], interval: span(0, 90) }));
    const { periods } = steps;
    for (let to = 1; to <= 60; to++) steps.change({ periods: [period("Half", 0, to)] });
    for (let to = 61; to <= 70; to++) steps.change({ periods: [period("Half", 0, to)] }, "drag");
    steps.undo();
    expect(periods.value?.[0]?.all).toEqual(span(0, 60));
    for (let i = 0; i < 100; i++) steps.undo();
    // 49 more steps
    expect(periods.value?.[0]?.all).toEqual(span(0, 11));
    for (let i = 0; i < 50; i++) steps.redo();
    expect(periods.value?.[0]?.all).toEqual(span(0, 70));
  });
});

describe("a wrong clock", () => {
  /** 100 minutes of a tracker. The player moves from minute 10 to 50 and from 60 to 95. */
  const recording = (id: number, offMinutes: number, fromMinute = 0): ClockRecording => {
    let state = id;
    const noise = () => {
      state = (state * 16_807) % 2_147_483_647;
      return (state / 2_147_483_647 - 0.5) * 12;
    };
    const speeds = Array.from({ length: (100 - fromMinute) * 60 }, (_, i) => {
      const minute = fromMinute + i / 60;
      const isPlay = (minute >= 10 && minute < 50) || (minute >= 60 && minute < 95);
      // each player moves differently
      return isPlay ? 8 + noise() : 0.5;
    });
    const startMs = (1000 + fromMinute + offMinutes) * MINUTE;
    const all = samples(speeds, startMs);
    return { id, startMs, endMs: all.timestampMs[all.length - 1] ?? 0, samples: all };
  };
  /** Returns the recordings of a generated match, two rows per second. */
  const match = (): ClockRecording[] =>
    demoSquad({ players: 25, startMs: 1000 * MINUTE }).recordings.map(({ rows }, id) => {
      const some = [...rows()].filter((_, i) => i % 5 === 0);
      const timestampMs = Float64Array.from(some, ({ timestamp }) => Number(timestamp));
      const speedMmPerS = Int32Array.from(some, ({ speed }) => Math.round(Number(speed) * 1000));
      const [startMs = 0, endMs = 0] = [timestampMs[0], timestampMs.at(-1)];
      return { id, startMs, endMs, samples: { length: some.length, timestampMs, speedMmPerS } };
    });
  const shiftedBy = ({ id, startMs, endMs, samples: own }: ClockRecording, byMs: number): ClockRecording => ({
    id,
    startMs: startMs + byMs,
    endMs: endMs + byMs,
    samples: { ...own, timestampMs: own.timestampMs.map((ms) => ms + byMs) },
  });
  const found = (...recordings: ClockRecording[]) =>
    wrongClocks(recordings).map(({ id, byMs }) => [id, byMs / MINUTE]);

  it("is reported with the hours and quarters that correct it", () => {
    expect(found(recording(1, 0), recording(2, -60), recording(3, 0), recording(4, 0))).toEqual([[2, 60]]);
    expect(found(recording(1, 0), recording(2, 0), recording(3, 45), recording(4, 0))).toEqual([[3, -45]]);
  });

  it("is reported with a different time if that fits much better", () => {
    expect(found(recording(1, 0), recording(2, 22), recording(3, 0), recording(4, 0))).toEqual([[2, -22]]);
  });

  it("is reported in a match with substitutes, if it moves one half over the other or is minutes off", () => {
    const all = match();
    expect(wrongClocks(all)).toEqual([]);
    // one player plays all the time, one goes off, one comes on, and one only warms up
    for (const id of [3, 7, 14, 20]) {
      for (const minutes of [-420, 60, 5]) {
        const shifted = all.map((one) => (one.id === id ? shiftedBy(one, minutes * MINUTE) : one));
        const told = wrongClocks(shifted);
        expect(told.filter((one) => one.id !== id)).toEqual([]);
        // a player who goes off during the second half could also have come on in the first
        const [own] = told;
        if (own === undefined) expect([id, minutes === -420]).toEqual([7, false]);
        else expect(Math.abs(own.byMs + minutes * MINUTE)).toBeLessThanOrEqual(MINUTE / 2);
      }
    }
  });

  it("is not reported for a recording that starts before the others", () => {
    expect(found(recording(1, 0), recording(2, 0, -20), recording(3, 0), recording(4, 0))).toEqual([]);
  });

  it("is not reported if the shift would overlap a second recording of the player", () => {
    const all = [recording(1, 0), recording(2, -60), recording(3, 0), recording(4, 0), recording(5, 0)];
    expect(wrongClocks(all, [[2, 5]])).toEqual([]);
    expect(wrongClocks(all, [[1, 5]]).map(({ id }) => id)).toEqual([2]);
  });

  it("is not reported for a recording that begins late, or among few recordings", () => {
    expect(found(recording(1, 0), recording(2, 0, 55), recording(3, 0), recording(4, 0))).toEqual([]);
    expect(found(recording(1, 0), recording(2, -60))).toEqual([]);
  });
});
