import { describe, expect, it } from "vitest";
import { CountedTime } from "../src/formats/counted-time.js";
import { Totals } from "../src/formats/totals.js";
import { xorshift } from "./metrics/figures/planted.js";
import { batchOf } from "./sample-batches.js";

const rowAt = (timestampMs: number, speedMmPerS: number, hr = 0) => ({
  timestampMs,
  latitudeE7: 0,
  longitudeE7: 0,
  altitudeMm: 0,
  speedMmPerS,
  hr,
  fixType: 3,
});

function totalsOf(...rows: ReturnType<typeof rowAt>[]): Totals {
  const totals = new Totals();
  totals.addRows(batchOf(rows), 0, rows.length);
  return totals;
}

describe("the totals of a lap", () => {
  it("add the mean of two speeds times the time between them as distance", () => {
    const totals = totalsOf(rowAt(0, 9000), rowAt(1000, 1000), rowAt(3000, 2000));
    expect(totals.distanceM).toBe(5 + 3);
    expect(totals.distanceCm).toBe(800);
    expect(totals.meanSpeedMmPerS).toBe(2667);
    expect(totals.maxSpeedMmPerS).toBe(9000);
  });

  it("extend from the earliest row to the latest, and add nothing while times run backwards", () => {
    const totals = totalsOf(rowAt(5000, 1000), rowAt(2000, 1000), rowAt(4000, 1000));
    expect(totals).toMatchObject({ startMs: 2000, endMs: 5000, elapsedMs: 3000, timerMs: 2000 });
    expect(totals.distanceM).toBe(2);
  });

  it("count time only once if times run backwards, in a lap and between laps", () => {
    const seconds = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => rowAt((from + i) * 1000, 3000));
    const whole = totalsOf(...seconds(0, 100), ...seconds(60, 160));
    expect(whole).toMatchObject({ timerMs: 160_000, distanceM: 480 });
    expect(totalsOf(...seconds(60, 160), ...seconds(0, 100))).toMatchObject({ timerMs: 160_000 });
    const counted = new CountedTime();
    const laps = [seconds(20, 40), seconds(50, 60), seconds(0, 100), seconds(0, 30)].map((rows) => {
      const lap = new Totals([], counted);
      lap.addRows(batchOf(rows), 0, rows.length);
      return lap.timerMs;
    });
    expect(laps).toEqual([20_000, 10_000, 70_000, 0]);
  });

  it("count each covered millisecond once, in any order of steps", () => {
    const uniform = xorshift(41);
    const counted = new CountedTime();
    const covered = new Set<number>();
    for (let i = 0; i < 400; i++) {
      const startMs = Math.floor(uniform() * 240_000) - 120_000;
      const endMs = startMs + 1 + Math.floor(uniform() * (i % 20 === 0 ? 100_000 : 900));
      const before = covered.size;
      for (let ms = startMs; ms < endMs; ms++) covered.add(ms);
      expect(counted.add(startMs, endMs)).toBe(covered.size - before);
    }
  });

  it("count rows whose times run backwards repeatedly, each time before all others", () => {
    const totals = new Totals();
    for (let i = 0; i < 400_000; i++) {
      totals.addRow(-20 * i, 3000, 0);
      totals.addRow(-20 * i + 10, 3000, 0);
    }
    expect(totals).toMatchObject({ timerMs: 4_000_000, distanceM: 12_000 });
  });

  it("use the first of several rows with the same time", () => {
    const totals = totalsOf(rowAt(0, 1000), rowAt(0, 9000), rowAt(1000, 1000), rowAt(1000, 9000));
    expect(totals).toMatchObject({ timerMs: 1000, distanceM: 1 });
  });

  it("add neither time nor distance across a gap", () => {
    const totals = new Totals([1]);
    const rows = [rowAt(0, 3000), rowAt(1000, 3000), rowAt(181_000, 3000), rowAt(183_000, 3000)];
    totals.addRows(batchOf(rows), 0, rows.length);
    expect(totals).toMatchObject({ timerMs: 3000, elapsedMs: 183_000, distanceM: 9 });
  });

  it("ignore a row without a speed, and continue from the row before it to the row after it", () => {
    const rows = [rowAt(0, 3000), rowAt(1000, -1), rowAt(2000, 5000), rowAt(3000, -2000, 140)];
    expect(totalsOf(...rows)).toMatchObject({ distanceM: 8, timerMs: 2000, endMs: 3000, maxHr: 140 });
    expect(totalsOf(rowAt(0, -2000)).maxSpeedMmPerS).toBe(0);
  });

  it("have the mean and the maximum of the available heart rates", () => {
    expect(totalsOf(rowAt(0, 0, 100), rowAt(1, 0), rowAt(2, 0, 121))).toMatchObject({
      meanHr: 111,
      maxHr: 121,
    });
    expect(totalsOf(rowAt(0, 0))).toMatchObject({ meanHr: null, maxHr: null, meanSpeedMmPerS: null });
  });

  it("are added up over several laps without the time between them", () => {
    const session = totalsOf(rowAt(10_000, 1000), rowAt(11_000, 1000));
    session.add(totalsOf(rowAt(0, 3000, 90), rowAt(1000, 3000)));
    session.add(new Totals());
    expect(session).toMatchObject({ startMs: 0, endMs: 11_000, timerMs: 2000, maxHr: 90, distanceM: 4 });
  });
});
