/** Tests of the parts of the squad's clock that need no browser. */
import { signal } from "@preact/signals";
import type { SampleBatch } from "asi-convert";
import { nameKey, type SessionPeriod } from "asi-convert/squad";
import { describe, expect, it } from "vitest";
import { changesOf, onIntervals } from "../src/squad/clock/on-pitch.js";
import { withEnds } from "../src/squad/clock/period-edits.js";
import { lanesOf } from "../src/squad/clock/period-lanes.js";
import { meanSpeeds } from "../src/squad/clock/strip-columns.js";
import { levelsOf, NOTHING, OFF } from "../src/squad/clock/strips.js";
import { type ClockRecording, wrongClocks } from "../src/squad/clock/wrong-clocks.js";
import { type AttackSide, PeriodSteps } from "../src/squad/period-steps.js";

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

/** Rows every 100 ms with the speed of their second. */
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

describe("a strip", () => {
  const rows = samples(Array.from({ length: 20 }, (_, second) => (second < 10 ? 4 : 12)));

  it("has the mean speed of each column", () => {
    const means = meanSpeeds(rows, { startMs: 0, stopMs: 20_000 }, 4, 12_000);
    expect([...means].map((mean) => Math.round(mean * 100) / 100)).toEqual([4, 4, 12, 12]);
    // a column with two different halves has their mean
    expect(meanSpeeds(rows, { startMs: 0, stopMs: 20_000 }, 1, 12_000)[0]).toBeCloseTo(8, 2);
    expect(meanSpeeds(rows, { startMs: 8000, stopMs: 12_000 }, 2, 12_000)[1]).toBeCloseTo(12, 2);
  });

  it("leaves out what the figures leave out, and says where there is nothing", () => {
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

  it("holds a speed between rows that are far apart on the screen", () => {
    const means = meanSpeeds(rows, { startMs: 1000, stopMs: 1200 }, 8, 12_000);
    expect([...means].every((mean) => Math.abs(mean - 4) < 0.01)).toBe(true);
  });

  it("is a line where somebody is recorded but not on", () => {
    const means = Float32Array.of(8, 8, Number.NaN, 16);
    const window = { startMs: 0, stopMs: 4 * MINUTE };
    expect([...levelsOf(means, [span(1, 4)], window)]).toEqual([OFF, 32, NOTHING, 63]);
    expect([...levelsOf(means, null, window)]).toEqual([32, 32, NOTHING, 63]);
  });
});

describe("who is on", () => {
  const match = [
    period("1st half", 0, 45, { Sub: [], Early: [[0, 30]] }),
    period("2nd half", 60, 105, { Sub: [[80, 105]], Early: [], Half: [] }),
  ];
  const changes = (player: string) =>
    changesOf(match, player).map(({ atMs, kind }) => `${kind} ${atMs / MINUTE}`);

  it("changes in a half and between halves", () => {
    expect(changes("Whole")).toEqual([]);
    expect(changes("Sub")).toEqual(["on 80"]);
    expect(changes("Early")).toEqual(["off 30"]);
    expect(changes("Half")).toEqual(["off 45"]);
  });

  it("is everybody at all times while there are no periods", () => {
    expect(onIntervals([], "Whole")).toBe(null);
    expect(onIntervals(match, "Sub")).toEqual([span(80, 105)]);
  });
});

describe("periods above the clock", () => {
  it("lie in lanes: a drill under the half that it is in, at most three", () => {
    expect(lanesOf([span(0, 45), span(10, 20), span(60, 105)])).toEqual([0, 1, 0]);
    expect(lanesOf([span(0, 40), span(0, 30), span(0, 20), span(0, 10)])).toEqual([0, 1, 2, 2]);
  });

  it("take the ends of substitutes along", () => {
    const [moved] = withEnds(
      [period("Half", 0, 45, { Sub: [[30, 45]], Off: [[0, 40]] })],
      "Half",
      span(0, 38),
    );
    expect(moved?.own.get("sub")).toEqual([span(30, 38)]);
    expect(moved?.own.get("off")).toEqual([span(0, 38)]);
  });

  it("are taken back over 50 steps; a drag is one of them", () => {
    const periods = signal<readonly SessionPeriod[] | null>(null);
    const steps = new PeriodSteps(periods, signal<ReadonlyMap<string, AttackSide>>(new Map()));
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
  /** 100 minutes of a tracker: play from minute 10 to 50 and from 60 to 95. */
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
  const found = (...recordings: ClockRecording[]) =>
    wrongClocks(recordings).map(({ id, byMs }) => [id, byMs / MINUTE]);

  it("is told with the hours and quarters that put it right", () => {
    expect(found(recording(1, 0), recording(2, -60), recording(3, 0), recording(4, 0))).toEqual([[2, 60]]);
    expect(found(recording(1, 0), recording(2, 0), recording(3, 45), recording(4, 0))).toEqual([[3, -45]]);
  });

  it("is told with another time if that fits much better", () => {
    expect(found(recording(1, 0), recording(2, 22), recording(3, 0), recording(4, 0))).toEqual([[2, -22]]);
  });

  it("is not told where the shift would lay the recording over another one of its player", () => {
    const all = [recording(1, 0), recording(2, -60), recording(3, 0), recording(4, 0), recording(5, 0)];
    expect(wrongClocks(all, [[2, 5]])).toEqual([]);
    expect(wrongClocks(all, [[1, 5]]).map(({ id }) => id)).toEqual([2]);
  });

  it("is not one that begins late, and not one of few", () => {
    expect(found(recording(1, 0), recording(2, 0, 55), recording(3, 0), recording(4, 0))).toEqual([]);
    expect(found(recording(1, 0), recording(2, -60))).toEqual([]);
  });
});
