import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameTime, WearerSweep } from "./wearer-sweep.js";

const instant = fc.integer({ min: 0, max: 30 });
const frames = fc
  .array(fc.record({ startMs: instant, length: fc.integer({ min: 0, max: 15 }), isOwn: fc.boolean() }), {
    maxLength: 12,
  })
  .map((drawn) =>
    drawn
      .sort((a, b) => a.startMs - b.startMs)
      .map(({ startMs, length, isOwn }, id) => ({ id, startMs, stopMs: startMs + length, isOwn })),
  );

const sweepOf = (frames: readonly FrameTime[]) => {
  const sweep = new WearerSweep();
  const times = [...frames.flatMap((frame) => sweep.add(frame)), ...sweep.end()];
  return { times, steps: sweep.steps };
};

const instantsOf = (of: readonly { startMs: number; stopMs: number }[]) =>
  of.flatMap(({ startMs, stopMs }) => Array.from({ length: stopMs - startMs + 1 }, (_, i) => startMs + i));

describe("whose the samples of time frames are", () => {
  it("each instant is of the first time frame of the athlete that covers it, and shared when another athlete's does", () => {
    fc.assert(
      fc.property(frames, (frames) => {
        const { times } = sweepOf(frames);
        expect(times.map(({ frame }) => frame.id)).toEqual(frames.filter((f) => f.isOwn).map((f) => f.id));
        const told = new Set<number>();
        for (const { frame, alone, shared } of times) {
          const own = instantsOf([frame]).filter((ms) => !told.has(ms));
          const isShared = (ms: number) => frames.some((f) => !f.isOwn && f.startMs <= ms && ms <= f.stopMs);
          expect(instantsOf(alone)).toEqual(own.filter((ms) => !isShared(ms)));
          expect(instantsOf(shared)).toEqual(own.filter(isShared));
          for (const ms of own) told.add(ms);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([1_000, 8_000])("is found in at most two steps for each of %d time frames", (count) => {
    const overlapping = Array.from({ length: count }, (_, id) => ({
      id,
      startMs: id * 10,
      stopMs: id * 10 + (id % 3 === 0 ? 1_000_000 : 15),
      isOwn: id % 2 === 0,
    }));
    expect(sweepOf(overlapping).steps).toBeLessThanOrEqual(2 * count);
  });
});
