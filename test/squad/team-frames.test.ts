import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pitchFrame } from "../../src/metrics/index.js";
import { newBatch } from "../../src/rows/sample-batch.js";
import { type Interval, teamFrames, teamShapeMeans } from "../../src/squad/index.js";
import { readPitchCorners } from "../../src/squad/sheets.js";

const CORNERS = readPitchCorners("46.96,7.46 46.96,7.4613 46.9606,7.4613 46.9606,7.46");
const PITCH = pitchFrame(CORNERS);

interface Row {
  ms: number;
  latitudeE7: number;
  speed: number;
}

function samplesOf(rows: readonly Row[]) {
  const samples = newBatch(rows.length);
  rows.forEach(({ ms, latitudeE7, speed }, i) => {
    samples.timestampMs[i] = ms;
    samples.latitudeE7[i] = 469_600_000 + latitudeE7;
    samples.longitudeE7[i] = 74_600_000;
    samples.speedMmPerS[i] = speed;
  });
  return samples;
}

const row = fc.record({
  ms: fc.integer({ min: 0, max: 20_000 }),
  latitudeE7: fc.integer({ min: 0, max: 6000 }),
  speed: fc.integer({ min: -1, max: 9000 }),
});
const interval = fc
  .tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 9000 }))
  .map(([startMs, lengthMs]): Interval => ({ startMs, endMs: startMs + lengthMs }));

describe("the players at one time", () => {
  it("are at their last position of the previous second, and only those who take part", () => {
    const recordings = fc.array(fc.array(row, { maxLength: 40 }), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(
        recordings,
        fc.array(interval, { maxLength: 3 }),
        fc.integer({ min: 40, max: 3000 }),
        (all, intervals, stepMs) => {
          const player = { recordings: all.map((rows) => ({ samples: samplesOf(rows) })), intervals };
          const frames = [...teamFrames([player], { startMs: 0, endMs: 20_000 }, PITCH, stepMs)];
          const times = all.flat().map(({ ms }) => ms);
          const steps = Array.from({ length: Math.ceil(20_000 / stepMs) }, (_, i) => i * stepMs);
          expect(frames.map(({ timeMs }) => timeMs)).toEqual(
            steps.filter((ms) => ms >= Math.min(...times) && ms < Math.max(...times) + 1000),
          );
          for (const { timeMs, players } of frames) {
            const isIn = intervals.some(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs);
            const recent = all.map((rows) => rows.filter(({ ms }) => ms <= timeMs && ms > timeMs - 1000));
            const latestMs = Math.max(...recent.flat().map(({ ms }) => ms));
            // the first of several rows with the same time counts, as in every figure
            const last = recent
              .map((rows) => rows.find(({ ms }) => ms === latestMs))
              .find((one) => one !== undefined);
            const expected =
              !isIn || last === undefined
                ? []
                : [
                    {
                      latitudeE7: 469_600_000 + last.latitudeE7,
                      speedMmPerS: last.speed < 0 ? null : last.speed,
                    },
                  ];
            expect(players.map(({ latitudeE7, speedMmPerS }) => ({ latitudeE7, speedMmPerS }))).toEqual(
              expected,
            );
          }
        },
      ),
    );
  });

  it("are found as quickly in an interval of centuries as in one of seconds", () => {
    const samples = samplesOf([0, 100, 200].map((ms) => ({ ms, latitudeE7: 0, speed: 0 })));
    const century = { startMs: -1e13, endMs: 1e13 };
    const player = { recordings: [{ samples }], intervals: [century] };
    const frames = [...teamFrames([player], century, PITCH, 100)];
    expect(frames.map(({ timeMs }) => timeMs)).toEqual(Array.from({ length: 12 }, (_, i) => i * 100));
  });

  it("have a shape, which is the mean of the frames with at least three players", () => {
    const at = (x: number, y: number) => ({
      player: null,
      x,
      y,
      speedMmPerS: 0,
      latitudeE7: 0,
      longitudeE7: 0,
    });
    const triangle = { timeMs: 0, players: [at(0, 0), at(30, 0), at(0, 30)] };
    const larger = { timeMs: 1000, players: [at(0, 0), at(60, 0), at(0, 60), at(10, 10)] };
    const two = { timeMs: 2000, players: [at(0, 0), at(90, 90)] };
    expect(teamShapeMeans([triangle, larger, two])).toMatchObject({
      frames: 2,
      players: 3.5,
      shape: { centroid: { x: 13.75, y: 13.75 }, surface_area: (450 + 1800) / 2, length: 45, width: 45 },
    });
    expect(teamShapeMeans([two])).toEqual({ frames: 0, players: null, shape: null });
  });
});

describe("the corners of a pitch", () => {
  it("can be written in the usual ways", () => {
    for (const text of [
      "46.96, 7.46  46.96, 7.4613 46.9606,7.4613 46.9606,7.46",
      "latitude,longitude\n46.96,7.46\n46.96,7.4613\n46.9606,7.4613\n46.9606,7.46\n",
      "\ufeffBreite;Länge\r\n46,96;7,46\r\n46,96;7,4613\r\n46,9606;7,4613\r\n46,9606;7,46\r\n",
      "Longitude [°], Latitude [°]\n7.46,46.96\n7.4613,46.96\n7.4613,46.9606\n7.46,46.9606\n",
      "lon;lat\n7,46;46,96\n7,4613;46,96\n7,4613;46,9606\n7,46;46,9606\n",
      "Länge;Breite\n7,46;46,96\n7,4613;46,96\n7,4613;46,9606\n7,46;46,9606\n",
    ])
      expect(readPitchCorners(text)).toEqual(CORNERS);
  });

  it("can be in Windows-1252 and UTF-16, with an umlaut in the header", () => {
    const text = "Länge;Breite\r\n7,46;46,96\r\n7,4613;46,96\r\n7,4613;46,9606\r\n7,46;46,9606\r\n";
    for (const bytes of [
      Buffer.from(text, "latin1"),
      Buffer.from(`\ufeff${text}`, "utf16le"),
      Buffer.from(`\ufeff${text}`),
    ])
      expect(readPitchCorners(bytes)).toEqual(CORNERS);
  });

  it.each([
    "",
    "46.96,7.46",
    "46.96,7.46 46.96,7.47 46.97 7.47",
    "1,2 3,4 5,6 7,888",
    "a,1 b,2 c,3 d,4",
    "1,2,3 1,2 1,2 1,2",
  ])("are refused with the expected form: %s", (text) =>
    expect(() => readPitchCorners(text)).toThrow(/latitude,longitude/),
  );

  it("never cause an unexpected error, for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-0-9.,; \n]{0,40}$/)), (text) => {
        try {
          expect(readPitchCorners(text)).toHaveLength(4);
        } catch (error) {
          expect(error).toMatchObject({ code: "BAD_OPTION" });
        }
      }),
    );
  });
});
