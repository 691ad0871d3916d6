import FitParser from "fit-file-parser";
import { describe, expect, it } from "vitest";
import { IntervalsAmongRows } from "../src/formats/fit/intervals-among-rows.js";
import { RowBuffer } from "../src/formats/row-buffer.js";
import { type BeatBatch, convert, decodeBeats, decodeTrackBeats, type TrackBeatBatch } from "../src/index.js";
import { newBatch } from "../src/rows/sample-batch.js";
import { TrackIntervals } from "../src/tracks/track-intervals.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { expectSame } from "./same.js";
import { syntheticEcg, waveformFrames } from "./synthetic-ecg.js";
import { bigEndian, fitDefinition, fitFile, littleEndian } from "./track-files.js";
import { all, thrown, wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2024, 4, 11, 9, 30);
const FIT_EPOCH_S = Date.UTC(1989, 11, 31) / 1000;
const NONE = 0xffff;

/** A waveform with a row every tenth of a second; frames in which `isLost` holds are missing, their rows are not. */
function recordingOf({
  durationS = 60,
  isLost = () => false,
}: {
  durationS?: number;
  isLost?: (seconds: number) => boolean;
} = {}): Uint8Array {
  const frames = waveformFrames(syntheticEcg({ durationS, bpm: 90, running: 0.2 }), START_MS);
  const rows = frames.map((_, i) => navPvt(civilTime(START_MS + 100 * (i + 1))));
  return joined([
    asiInf(),
    ...rows.flatMap((row, i) => (isLost(i / 10) ? [row] : [frames[i] as Uint8Array, row])),
  ]);
}

function fitOf(recording: Uint8Array, options: Parameters<typeof convert>[1] = {}): Promise<Uint8Array> {
  return wholeBytes(convert(recording, { format: "fit", rrIntervals: true, ...options }).body);
}

/** A FIT file with records at whole seconds and messages of intervals, as devices write it: five for each message. */
function deviceFile(messages: readonly ({ second: number } | { rrMs: readonly number[] })[]): Uint8Array {
  const records = fitDefinition(0, 20, [[253, 4, 0x86]]);
  const hrv = fitDefinition(1, 78, [[0, 10, 0x84]]);
  return fitFile([
    records,
    hrv,
    ...messages.map((message) =>
      "second" in message
        ? [0, ...littleEndian(START_MS / 1000 - FIT_EPOCH_S + message.second, 4)]
        : [1, ...Array.from({ length: 5 }, (_, i) => littleEndian(message.rrMs[i] ?? NONE, 2)).flat()],
    ),
  ]);
}

async function beatsIn(file: Uint8Array): Promise<{ seconds: number; rrMs: number }[]> {
  const batches = await all(decodeTrackBeats(file));
  return batches.flatMap(({ timestampMs, rrMs }) =>
    [...rrMs].map((rr, i) => ({ seconds: ((timestampMs[i] ?? 0) - START_MS) / 1000, rrMs: rr })),
  );
}

/** The known intervals in series, each with the time of the beat that ends it. */
function seriesOf(batches: readonly (BeatBatch | TrackBeatBatch)[]): { ms: number; rr: number }[][] {
  const series: { ms: number; rr: number }[][] = [];
  for (const { length, timestampMs, rrMs } of batches) {
    for (let i = 0; i < length; i++) {
      const beat = { ms: timestampMs[i] ?? 0, rr: rrMs[i] ?? 0 };
      if (beat.rr === 0) series.push([]);
      else series.at(-1)?.push(beat);
    }
  }
  return series.filter(({ length }) => length > 0);
}

/** The intervals of a recording within two times, whole ms. */
async function intervalsIn(recording: Uint8Array, fromMs: number, toMs: number): Promise<number[]> {
  const beats = seriesOf(await all(decodeBeats(recording))).flat();
  return beats.filter(({ ms, rr }) => ms - rr >= fromMs && ms < toMs).map(({ rr }) => Math.round(rr));
}

describe("the RR intervals of FIT files of other devices", () => {
  it("start at the record before them, and then follow their sum", async () => {
    const file = deviceFile([
      { second: 0 },
      { second: 1 },
      { rrMs: [800] },
      { second: 2 },
      { rrMs: [700, 650] },
      { second: 3 },
    ]);
    expect(await beatsIn(file)).toEqual([
      { seconds: 0.2, rrMs: 0 },
      { seconds: 1, rrMs: 800 },
      { seconds: 1.7, rrMs: 700 },
      { seconds: 2.35, rrMs: 650 },
    ]);
  });

  it("have no break where a device writes several intervals of a slow heartbeat together", async () => {
    const slow = Array.from({ length: 10 }, (_, i) => [
      ...Array.from({ length: 6 }, (_, second) => ({ second: 6 * (i + 1) + second })),
      // two consecutive messages
      ...(i % 2 === 0 ? [] : [{ rrMs: Array(5).fill(1200) }, { rrMs: Array(5).fill(1200) }]),
    ]).flat();
    const beats = await beatsIn(deviceFile(slow));
    expect(beats.filter(({ rrMs }) => rrMs === 0)).toHaveLength(1);
    // the first messages are after second 17
    expect(beats[10]).toEqual({ seconds: 17, rrMs: 1200 });
    expect(beats.at(-1)).toEqual({ seconds: 17 + 48, rrMs: 1200 });
  });

  it("start again at a record where intervals are missing or the clock was set back", async () => {
    const file = deviceFile([
      { second: 0 },
      { rrMs: [1000, 1000] },
      // two missing seconds may also be a late message
      { second: 3 },
      { rrMs: [1000] },
      { second: 60 },
      { rrMs: [900, 900] },
      { second: 40 },
      { rrMs: [500] },
    ]);
    expect(await beatsIn(file)).toEqual([
      { seconds: -2, rrMs: 0 },
      { seconds: -1, rrMs: 1000 },
      { seconds: 0, rrMs: 1000 },
      { seconds: 1, rrMs: 1000 },
      { seconds: 58.2, rrMs: 0 },
      { seconds: 59.1, rrMs: 900 },
      { seconds: 60, rrMs: 900 },
      { seconds: 39.5, rrMs: 0 },
      { seconds: 40, rrMs: 500 },
    ]);
  });

  it("do not wait for a record without limit", () => {
    const intervals = new TrackIntervals();
    intervals.addTime(START_MS);
    let taken = 0;
    for (let i = 0; i < 100_000; i++) {
      intervals.add(800);
      if (i % 1000 === 999) for (const { length } of intervals.take(false)) taken += length;
    }
    // all but a few thousand, in one series
    expect(taken).toBeGreaterThan(95_000);
    const [rest] = intervals.take(true);
    expect(taken + (rest?.length ?? 0)).toBe(100_001);
    expect(rest?.rrMs[0] ?? 800).toBe(800);
  });

  it("exclude and count impossible intervals, and intervals before the first time", async () => {
    const file = deviceFile([
      { rrMs: [800] },
      { second: 0 },
      { rrMs: [700, 0, 600, 60_001] },
      { second: 1 },
      { rrMs: [650] },
    ]);
    const track = decodeTrackBeats(file);
    const series = seriesOf(await all(track)).map((one) => one.map(({ rr }) => rr));
    expect(series).toEqual([[700], [600], [650]]);
    expect(await track.summary).toMatchObject({
      rows: 0,
      intervals: 3,
      leftOut: { withoutPosition: 2, intervals: 3 },
    });
  });

  it("are read from big-endian lists of other lengths, and after the start of the timer", async () => {
    const file = fitFile([
      fitDefinition(0, 21, [[253, 4, 0x86]]),
      [0, ...littleEndian(START_MS / 1000 - FIT_EPOCH_S, 4)],
      fitDefinition(1, 78, [[0, 4, 0x84]], { isBigEndian: true }),
      [1, ...bigEndian(512, 2), ...bigEndian(NONE, 2)],
    ]);
    expect(await beatsIn(file)).toEqual([
      { seconds: -0.512, rrMs: 0 },
      { seconds: 0, rrMs: 512 },
    ]);
  });

  it("end where the file is damaged", async () => {
    const file = deviceFile([{ second: 0 }, { rrMs: [800, 810] }, { second: 1 }, { rrMs: [820] }]);
    const track = decodeTrackBeats(file.subarray(0, file.length - 3));
    expect(seriesOf(await all(track)).flat()).toHaveLength(2);
    expect((await track.summary).damage).toEqual({
      byteOffset: expect.any(Number),
      afterMs: START_MS + 1000,
      reason: "the file is truncated",
    });
    await expect(all(decodeTrackBeats(file.subarray(0, 20)))).rejects.toThrow(/truncated/);
  });
});

describe("RR intervals among rows", () => {
  const SET_BACK_MS = 50_000;
  /** Rows and beats up to 100 s, and again starting at 50 s; `isLost` selects missing beats. */
  function placed(isLost: (clock: 0 | 1, seconds: number) => boolean) {
    const secondsOf = [
      Array.from({ length: 100 }, (_, i) => i),
      Array.from({ length: 100 }, (_, i) => i + SET_BACK_MS / 1000),
    ] as const;
    const rows = new RowBuffer();
    const beats: BeatBatch[] = [];
    for (const [clock, seconds] of secondsOf.entries()) {
      const batch = newBatch(seconds.length);
      batch.timestampMs.set(seconds.map((s) => 1000 * s));
      rows.append(batch, 0, seconds.length);
      const known = seconds.filter((s) => !isLost(clock as 0 | 1, s));
      beats.push({
        length: known.length,
        timestampMs: Float64Array.from(known, (s) => 1000 * s - 300),
        // the length of an interval identifies the clock
        rrMs: Float64Array.from(known, () => 901 + clock),
        quality: new Float64Array(known.length),
      } as unknown as BeatBatch);
    }
    return new IntervalsAmongRows(beats).among(rows, new Set([0, 100]));
  }

  it("stay among the rows of their clock when it is set back", () => {
    const losses: ((clock: 0 | 1, seconds: number) => boolean)[] = [
      () => false,
      // no beat around the time when the clock is set back
      (clock, seconds) => (clock === 0 ? seconds > 90 : seconds < 60),
      (clock) => clock === 1,
      (clock, seconds) => clock === 1 && seconds < 80,
    ];
    for (const isLost of losses) {
      for (const { row, rrMs } of placed(isLost)) {
        const clocks = new Set(rrMs.map((rr) => rr - 901));
        // the last beats of the first clock are before the first row of the second one
        if (row !== 100) expect([...clocks], `row ${row}`).toEqual([row < 100 ? 0 : 1]);
        expect(rrMs.length, `row ${row}`).toBeLessThanOrEqual(2);
      }
    }
  });

  it("are not moved if the times of rows, but not of beats, run backwards", () => {
    const counts = placed((clock) => clock === 0).map(({ rrMs }) => rrMs.length);
    expect(counts).toEqual(Array(100).fill(1));
  });
});

describe("a FIT file with the RR intervals of a recording", () => {
  it("is read with its intervals by an independent reader", async () => {
    const recording = recordingOf();
    const { hrv = [] } = await new FitParser({ mode: "list", force: false }).parseAsync(
      new Uint8Array(await fitOf(recording)).buffer,
    );
    const written = hrv.flatMap(({ time }) => (time as (number | null)[]).filter((s) => s !== null));
    const known = await intervalsIn(recording, START_MS + 100, START_MS + 60_000);
    expect(written.length).toBeGreaterThan(80);
    expect(written.map((s) => Math.round(1000 * s))).toEqual(known);
  });

  it("returns the same series within 1 ms, with times within a tenth of a second, even around a lost signal", async () => {
    const recording = recordingOf({
      durationS: 120,
      isLost: (s) => (s > 30 && s < 31) || (s > 60 && s < 75) || (s > 90 && s < 93),
    });
    const expected = seriesOf(await all(decodeBeats(recording)));
    const found = seriesOf(await all(decodeTrackBeats(await fitOf(recording))));
    expect(found.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
    expect(found.length).toBeGreaterThanOrEqual(4);
    for (const [i, { ms, rr }] of found.flat().entries()) {
      const beat = expected.flat()[i] ?? { ms: 0, rr: 0 };
      expect(Math.abs(rr - beat.rr)).toBeLessThanOrEqual(1);
      expect(Math.abs(ms - beat.ms)).toBeLessThanOrEqual(100);
    }
  });

  it("contains only the intervals between its rows, with from and to, and with fewer rows", async () => {
    const recording = recordingOf();
    const limits = { from: START_MS + 20_000, to: START_MS + 40_000 };
    for (const options of [limits, { ...limits, everyMs: 1000 }]) {
      const found = seriesOf(await all(decodeTrackBeats(await fitOf(recording, options)))).flat();
      expect(found.map(({ rr }) => rr)).toEqual(await intervalsIn(recording, limits.from, limits.to));
    }
  });

  it("consists of the same bytes with each engine and any chunks", async () => {
    const recording = recordingOf({ durationS: 20 });
    const expected = await fitOf(recording);
    for (const engine of ["scalar", "plain"] as const)
      expectSame(await fitOf(recording, { engine }), expected, engine);
    const chunks = Array.from({ length: Math.ceil(recording.length / 777) }, (_, i) =>
      recording.subarray(777 * i, 777 * (i + 1)),
    );
    expectSame(
      await wholeBytes(convert(chunks, { format: "fit", rrIntervals: true }).body),
      expected,
      "chunks",
    );
  });

  it("consists of the usual bytes without the option, and without a waveform", async () => {
    const recording = recordingOf({ durationS: 20 });
    const usual = await fitOf(recording, { rrIntervals: false });
    expectSame(await wholeBytes(convert(recording, { format: "fit" }).body), usual, "default");
    const without = recordingOf({ durationS: 20, isLost: () => true });
    expectSame(await fitOf(without), await fitOf(without, { rrIntervals: undefined }), "no waveform");
    expect((await all(decodeTrackBeats(usual))).length).toBe(0);
  });

  it("is refused in other formats", () => {
    expect(thrown(() => convert(new Uint8Array(0), { format: "gpx", rrIntervals: true }))).toMatchObject({
      code: "BAD_OPTION",
      message: "rrIntervals applies only to FIT; omit it with the format gpx.",
    });
  });
});
