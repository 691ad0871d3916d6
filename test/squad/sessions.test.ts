import { describe, expect, it } from "vitest";
import { findSessions } from "../../src/squad/sessions.js";
import { type RecordedSpeeds, suggestPeriods } from "../../src/squad/suggest-periods.js";

const MINUTE_MS = 60_000;
const BERN = { latitude: 46.96, longitude: 7.46 };
const recording = (startMin: number, endMin: number, place: typeof BERN | null = BERN) => ({
  startMs: startMin * MINUTE_MS,
  endMs: endMin * MINUTE_MS,
  place,
});

describe("recordings are of one session", () => {
  it("if they overlap, or follow each other within 30 minutes", () => {
    const [first, second, third, later] = [
      recording(0, 90),
      recording(10, 60),
      recording(120, 130),
      recording(161, 170),
    ];
    expect(findSessions([later, third, second, first])).toEqual([[third, second, first], [later]]);
  });

  it("if they begin within 5 km, or one has no position", () => {
    const near = recording(0, 90, { latitude: 47, longitude: 7.46 });
    const far = recording(0, 90, { latitude: 47.01, longitude: 7.46 });
    const home = recording(0, 90);
    expect(findSessions([home, near])).toHaveLength(1);
    expect(findSessions([home, far])).toHaveLength(2);
    expect(findSessions([home, recording(0, 90, null)])).toHaveLength(1);
  });
});

/** One sample a second: `km/h` in each minute. */
function minutes(speeds: readonly number[]): RecordedSpeeds {
  const length = speeds.length * 60;
  const samples = {
    length,
    timestampMs: Float64Array.from({ length }, (_, second) => second * 1000),
    speedMmPerS: Int32Array.from({ length }, (_, second) =>
      Math.round(((speeds[Math.floor(second / 60)] ?? 0) * 1000) / 3.6),
    ),
  };
  return { recordings: [{ samples }] };
}

const stretch = (length: number, speed: number) => Array.from({ length }, () => speed);
const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);
const suggested = (players: RecordedSpeeds[]) =>
  suggestPeriods(players).map(({ name, startMs, endMs }) => `${name} ${clock(startMs)} ${clock(endMs)}`);

describe("suggested periods", () => {
  const match = [
    ...stretch(18, 6),
    ...stretch(8, 1),
    ...stretch(46, 7),
    ...stretch(15, 1),
    ...stretch(48, 7),
    ...stretch(4, 1),
  ];

  it("are the halves between the common pauses, and the warm-up before", () => {
    const squad = Array.from({ length: 11 }, () => minutes(match));
    expect(suggested(squad)).toEqual([
      "Warm-up 00:00:00 00:18:00",
      "1st half 00:26:00 01:12:00",
      "2nd half 01:27:00 02:15:00",
    ]);
  });

  it("do not depend on players who sit on the bench", () => {
    const squad = Array.from({ length: 25 }, (_, i) => minutes(i < 11 ? match : stretch(139, 1)));
    expect(suggested(squad)).toHaveLength(3);
  });

  it("are called parts if they are not halves, and are absent if no one plays for 15 minutes", () => {
    expect(suggested([minutes([...stretch(20, 8), ...stretch(6, 0), ...stretch(20, 8)])])).toEqual([
      "Part 1 00:00:00 00:20:00",
      "Part 2 00:26:00 00:46:00",
    ]);
    expect(suggested([minutes(stretch(14, 8))])).toEqual([]);
    expect(suggested([])).toEqual([]);
  });
});
