import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameTime, WearerSweep } from "./wearer-sweep.js";

const instant = fc.integer({ min: 0, max: 30 });
const frames = fc
  .array(
    fc.record({
      startMs: instant,
      length: fc.integer({ min: 0, max: 15 }),
      isOwn: fc.boolean(),
      assignedAtMs: fc.nat(5),
    }),
    { maxLength: 12 },
  )
  .map((drawn) =>
    drawn
      .sort((a, b) => a.startMs - b.startMs)
      .map(({ length, ...frame }, id) => ({ ...frame, id, stopMs: frame.startMs + length })),
  );

const sweepOf = (frames: readonly FrameTime[]) => {
  const sweep = new WearerSweep();
  const times = [...frames.flatMap((frame) => sweep.add(frame)), ...sweep.end()];
  return { times, steps: sweep.steps };
};

const instantsOf = (of: readonly { startMs: number; stopMs: number }[]) =>
  of.flatMap(({ startMs, stopMs }) => Array.from({ length: stopMs - startMs + 1 }, (_, i) => startMs + i));

describe("the sweep over the time frames of a device", () => {
  it("assigns each time to the first time frame of the athlete that covers it, and its samples to the athlete of the oldest time frame", () => {
    fc.assert(
      fc.property(frames, (frames) => {
        const { times } = sweepOf(frames);
        expect(times.map(({ frame }) => frame.id)).toEqual(frames.filter((f) => f.isOwn).map((f) => f.id));
        const told = new Set<number>();
        const isOwn = (ms: number) =>
          frames
            .filter((f) => f.startMs <= ms && ms <= f.stopMs)
            .sort((a, b) => a.assignedAtMs - b.assignedAtMs || a.id - b.id)[0]?.isOwn === true;
        for (const { frame, own, others } of times) {
          const added = instantsOf([frame]).filter((ms) => !told.has(ms));
          expect(instantsOf(own)).toEqual(added.filter(isOwn));
          expect(instantsOf(others)).toEqual(added.filter((ms) => !isOwn(ms)));
          for (const ms of added) told.add(ms);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([1_000, 8_000])("takes few steps for each of %d time frames of any age", (count) => {
    for (const assignedAtMs of [
      (id: number) => id,
      (id: number) => -id,
      (id: number) => (id * 7_919) % count,
    ]) {
      const overlapping = Array.from({ length: count }, (_, id) => ({
        id,
        startMs: id * 10,
        stopMs: id * 10 + (id % 3 === 0 ? 1_000_000 : 15),
        isOwn: id % 2 === 0,
        assignedAtMs: assignedAtMs(id),
      }));
      expect(sweepOf(overlapping).steps).toBeLessThanOrEqual(count * (3 + 2 * Math.log2(count)));
    }
  });
});
