/**
 * Compares the functions behind exports and erasures, in random histories of a device, with rules that consider each sample
 * separately. `test/sample-histories.test.ts` runs fewer histories on the service itself.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { intersect } from "./intervals.js";
import { type FrameTime, WearerSweep } from "./wearer-sweep.js";

const HISTORIES = process.env.TEST_LONG === "1" ? 20_000 : 2_000;
const CURRENT = 1_000;
const MANAGERS = [0, 1, 2];
const ATHLETES = [0, 1];

interface OwnedTime {
  startTime: Date;
  endTime: Date;
}

/** Returns the same times as `ownedTimes` from the database. */
const timesOf = (owned: readonly OwnedTime[]): Interval[] =>
  normaliseIntervals(
    owned.map(({ startTime, endTime }) => ({ startMs: startTime.getTime(), stopMs: endTime.getTime() - 1 })),
  );

interface Frame extends Interval {
  by: number;
  athlete: number;
  /** Number of the step that created or moved it. */
  assignedAtMs: number;
}

interface Sample {
  ms: number;
  loader: number;
}

/** Runs the functions of the service. */
class System {
  owned: (OwnedTime & { by: number })[] = [];
  frames: Frame[] = [];
  samples: Sample[] = [];

  ownedBy = (by: number) => timesOf(this.owned.filter((one) => one.by === by));
  isIn = (times: readonly Interval[], ms: number) =>
    intersect(times, [{ startMs: ms, stopMs: ms }]).length > 0;
  drop = (times: readonly Interval[]) => {
    this.samples = this.samples.filter(({ ms }) => !this.isIn(times, ms));
  };

  load(by: number, times: readonly number[]): void {
    const own = this.ownedBy(by);
    for (const ms of times) {
      if (this.isIn(own, ms) && !this.samples.some((one) => one.ms === ms))
        this.samples.push({ ms, loader: by });
    }
  }

  worn(athlete: number): Interval[] {
    return MANAGERS.flatMap((by) => {
      const sweep = new WearerSweep();
      const frames = this.frames
        .filter((frame) => frame.by === by)
        .map((frame, id): FrameTime => ({ ...frame, id, isOwn: frame.athlete === athlete }))
        .sort((a, b) => a.startMs - b.startMs);
      const own = [...frames.flatMap((frame) => sweep.add(frame)), ...sweep.end()].flatMap((t) => t.own);
      return intersect(own, this.ownedBy(by));
    });
  }

  timesAt = (times: readonly Interval[]) =>
    this.samples.filter(({ ms }) => this.isIn(times, ms)).map(({ ms }) => ms);
}

/** Reference implementation of the rules, sample by sample. */
class Model {
  owner = new Map<number, number>();
  samples = new Map<number, number>();
  frames: Frame[] = [];

  readable = (by: number) => [...this.samples].filter(([ms]) => this.owner.get(ms) === by).map(([ms]) => ms);

  /** Returns the athlete of the owner's oldest time frame. */
  wearer(ms: number): number | undefined {
    return this.frames
      .filter((frame) => frame.by === this.owner.get(ms) && frame.startMs <= ms && ms <= frame.stopMs)
      .reduce<Frame | undefined>(
        (oldest, one) => (oldest === undefined || one.assignedAtMs < oldest.assignedAtMs ? one : oldest),
        undefined,
      )?.athlete;
  }

  exported = (athlete: number) => [...this.samples.keys()].filter((ms) => this.wearer(ms) === athlete);
}

const by = fc.constantFrom(...MANAGERS);
const athlete = fc.constantFrom(...ATHLETES);
const instant = fc.integer({ min: 0, max: 40 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("take" as const), by }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("release" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("load" as const),
      by,
      times: fc.array(instant, { maxLength: 8 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("frame" as const),
      by,
      athlete,
      startMs: instant,
      length: fc.nat(12),
    }),
  },
  fc.record({
    do: fc.constant("move" as const),
    which: fc.nat(5),
    athlete,
    startMs: instant,
    length: fc.nat(12),
  }),
  { weight: 1, arbitrary: fc.record({ do: fc.constant("backdate" as const), to: instant }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), by }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase" as const), athlete }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("retention" as const), startMs: instant, length: fc.nat(5) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const) }) },
);

const ascending = (times: readonly number[]) => [...times].sort((a, b) => a - b);

it("reads, exports and deletions follow the ownership rules in random histories", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const system = new System();
      const model = new Model();
      let now = 20;
      for (const [number, one] of steps.entries()) {
        const before = ATHLETES.map(model.exported);
        const last = system.owned.at(-1);
        const isOwned = last !== undefined && last.endTime.getTime() === CURRENT;
        if (one.do === "wait") now += one.ms;
        else if (one.do === "take" && !isOwned) {
          system.owned.push({ by: one.by, startTime: new Date(now), endTime: new Date(CURRENT) });
          for (let ms = now; ms < CURRENT; ms++) model.owner.set(ms, one.by);
        } else if (one.do === "release" && isOwned) {
          last.endTime = new Date(now);
          system.drop([{ startMs: now, stopMs: CURRENT }]);
          if (last.startTime >= last.endTime) system.owned.pop();
          for (let ms = now; ms < CURRENT; ms++) {
            model.owner.delete(ms);
            model.samples.delete(ms);
          }
        } else if (one.do === "load") {
          system.load(one.by, one.times);
          for (const ms of one.times) {
            if (model.owner.get(ms) === one.by && !model.samples.has(ms)) model.samples.set(ms, one.by);
          }
        } else if (one.do === "frame") {
          const { by, athlete, startMs } = one;
          const frame = { by, athlete, startMs, stopMs: startMs + one.length, assignedAtMs: number };
          system.frames.push(frame);
          model.frames.push(frame);
          // Independent of the rules: a later time frame takes no samples from other athletes.
          for (const athlete of ATHLETES)
            expect(model.exported(athlete)).toEqual(expect.arrayContaining(before[athlete] ?? []));
        } else if (one.do === "move" && one.which < model.frames.length) {
          const { which, athlete, startMs } = one;
          const to = { athlete, startMs, stopMs: startMs + one.length, assignedAtMs: number };
          Object.assign(system.frames[which] ?? {}, to);
          model.frames = model.frames.map((frame, i) => (i === which ? { ...frame, ...to } : frame));
        } else if (one.do === "backdate" && last !== undefined && one.to < last.startTime.getTime()) {
          const gained = [{ startMs: one.to, stopMs: last.startTime.getTime() - 1 }];
          if (MANAGERS.some((by) => intersect(system.ownedBy(by), gained).length > 0)) continue;
          for (let ms = one.to; ms < last.startTime.getTime(); ms++) model.owner.set(ms, last.by);
          last.startTime = new Date(one.to);
        } else if (one.do === "delete") {
          system.drop(system.ownedBy(one.by));
          system.owned = system.owned.filter(({ by }) => by !== one.by);
          system.frames = system.frames.filter(({ by }) => by !== one.by);
          for (const [ms, owner] of model.owner) {
            if (owner !== one.by) continue;
            model.owner.delete(ms);
            model.samples.delete(ms);
          }
          model.frames = model.frames.filter(({ by }) => by !== one.by);
        } else if (one.do === "erase") {
          system.drop(system.worn(one.athlete));
          for (const ms of model.exported(one.athlete)) model.samples.delete(ms);
          system.frames = system.frames.filter(({ athlete }) => athlete !== one.athlete);
          model.frames = model.frames.filter(({ athlete }) => athlete !== one.athlete);
        } else if (one.do === "retention") {
          const old = { startMs: one.startMs, stopMs: one.startMs + one.length };
          system.drop([old]);
          for (let ms = old.startMs; ms <= old.stopMs; ms++) model.samples.delete(ms);
        } else if (one.do === "restore") {
          system.samples = structuredClone(system.samples);
          system.owned = structuredClone(system.owned);
          system.frames = structuredClone(system.frames);
        }
        for (const by of MANAGERS) {
          const read = system.timesAt(system.ownedBy(by));
          expect(ascending(read)).toEqual(ascending(model.readable(by)));
          // Independent of the rules: managers read only samples that they have loaded.
          for (const ms of read) expect(system.samples.find((one) => one.ms === ms)?.loader).toBe(by);
        }
        for (const athlete of ATHLETES) {
          expect(ascending(system.timesAt(system.worn(athlete)))).toEqual(ascending(model.exported(athlete)));
        }
        // Every sample has an owner.
        expect(ascending(MANAGERS.flatMap(model.readable))).toEqual(ascending([...model.samples.keys()]));
      }
    }),
    { numRuns: HISTORIES },
  );
});
