import { describe, expect, it, vi } from "vitest";
import { FairQueue } from "./fair-queue.js";

/** Creates a task that runs until it is released. */
function work() {
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const MOST_TURNS = 10_000;

/** Runs the test on a fake clock that advances only when all tasks wait for it, so each task takes exactly its duration. */
async function onFakeClock(scene: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  let isOver = false;
  const ended = scene().finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined);
  try {
    for (let turn = 0; !isOver && turn < MOST_TURNS; turn++) {
      await settled();
      await settled();
      vi.advanceTimersToNextTimer();
    }
    expect(isOver).toBe(true);
    await ended;
  } finally {
    vi.useRealTimers();
  }
}

describe("a fair queue", () => {
  it("runs the single task of one caller before the many tasks of another", async () => {
    const queue = new FairQueue<string>({ concurrency: 1 });
    const began: string[] = [];
    const asked = [..."aaaaab"].map((caller, index) =>
      queue.run(caller, async () => void began.push(`${caller}${index}`)),
    );
    await Promise.all(asked);
    expect(began.indexOf("b5")).toBeLessThan(3);
    expect(began).toHaveLength(6);
  });

  it("runs at most the maximum number of tasks, even after a failure", async () => {
    const queue = new FairQueue<string>({ concurrency: 2 });
    let running = 0;
    let most = 0;
    const asked = Array.from({ length: 20 }, (_, index) =>
      queue.run(String(index % 3), async () => {
        running += 1;
        most = Math.max(most, running);
        await settled();
        running -= 1;
        if (index % 2 === 0) throw new Error("failed");
      }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(10);
    expect(most).toBe(2);
  });

  it("runs a task of a later caller before the second waiting task of another caller", async () => {
    const queue = new FairQueue<number>({ concurrency: 1 });
    const order: number[] = [];
    await Promise.all(
      [1, 1, 1, 1, 1, 2, 3].map((caller) => queue.run(caller, async () => void order.push(caller))),
    );
    expect(order).toEqual([1, 2, 3, 1, 1, 1, 1]);
  });

  it("leaves slots for others while a caller has its maximum number of tasks", async () => {
    const queue = new FairQueue<string>({ concurrency: 3, concurrencyPerCaller: 2 });
    const { done, finish } = work();
    const began: string[] = [];
    const run = (caller: string) =>
      queue.run(caller, async () => {
        began.push(caller);
        await done;
      });
    const asked = [..."aaaab"].map(run);
    await settled();
    expect(began.join("")).toBe("aab");
    finish();
    await Promise.all(asked);
    expect(began).toHaveLength(5);
  });

  it("gives the next slot to the caller that has used the least time", () =>
    onFakeClock(async () => {
      const queue = new FairQueue<string>({ concurrency: 1 });
      const began: string[] = [];
      const busy = Array.from({ length: 5 }, () =>
        queue.run("slow", async () => {
          began.push("slow");
          await new Promise((resolve) => setTimeout(resolve, 5));
        }),
      );
      // Add the tasks one after another, as a request makes its queries.
      for (let i = 0; i < 4; i++) await queue.run("quick", async () => void began.push("quick"));
      expect(began).toEqual(["slow", "quick", "quick", "quick", "quick"]);
      await Promise.all(busy);
    }));

  it.each([
    ["others leave and return", (name: string) => name],
    ["new callers keep arriving", (name: string, task: number) => `${name}${task}`],
  ])("gives slots to a waiting caller even if %s", (_, nameOf) =>
    onFakeClock(async () => {
      const queue = new FairQueue<string>({ concurrency: 1 });
      const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const waits = [20, 0].map((ms) => queue.run("waits", () => pause(ms)));
      let tasks = 0;
      let over = false;
      // One of them always waits, so a new caller competes with a caller that has used little.
      const comers = ["a", "b", "c"].map(async (name) => {
        while (!over && tasks < 400) {
          await queue.run(nameOf(name, tasks), () => pause(1));
          tasks += 1;
          await settled();
          await settled();
        }
      });
      await Promise.all(waits);
      over = true;
      expect(tasks).toBeLessThan(200);
      await Promise.all(comers);
    }),
  );

  it("gives a caller no credit for the time that it spent in one long task", () =>
    onFakeClock(async () => {
      const queue = new FairQueue<string>({ concurrency: 2 });
      const { done, finish } = work();
      const long = queue.run("long", () => done);
      const began: string[] = [];
      const busy = (name: string, ms: number) =>
        queue.run(name, async () => {
          began.push(name);
          await new Promise((resolve) => setTimeout(resolve, ms));
        });
      for (let times = 0; times < 3; times++) await Promise.all([busy("others", 5), busy("others", 5)]);
      const next = [
        busy("others", 5),
        busy("others", 5),
        ...Array.from({ length: 6 }, () => busy("long", 5)),
      ];
      await Promise.all(next);
      expect(began.slice(6).indexOf("others", 1)).toBeLessThan(4);
      finish();
      await long;
    }));

  it("serves a caller of another group before the second caller of a large group", async () => {
    const queue = new FairQueue<string>({ concurrency: 1, concurrencyPerGroup: 1 });
    const began: string[] = [];
    const run = (caller: string, group: string) =>
      queue.run(caller, async () => void began.push(caller), undefined, group);
    const crowd = Array.from({ length: 20 }, (_, i) => run(`crowd-${i}`, "one address"));
    await Promise.all([...crowd, run("alone", "another address")]);
    expect(began.indexOf("alone")).toBeLessThan(3);
    expect(began).toHaveLength(21);
  });

  it("serves a caller that belongs to two groups by its usage in each group", async () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    try {
      const queue = new FairQueue<string>({ concurrency: 2 });
      const order: string[] = [];
      const ask = async (caller: string, group: string) => {
        const end = await queue.acquire(caller, undefined, group);
        order.push(caller);
        return end;
      };
      const endOfFar = await ask("far", "busy");
      const endOfNear = await ask("near", "quiet");
      const again = ask("far", "busy");
      nowMs = 1_000;
      endOfFar();
      await again;
      const waiting = [ask("near", "busy"), ask("other", "quiet"), ask("other", "quiet")];
      nowMs = 1_010;
      endOfNear();
      const endOfOther = await waiting[1];
      nowMs = 2_510;
      endOfOther?.();
      await settled();
      await settled();
      expect(order).toEqual(["far", "near", "far", "other", "near"]);
    } finally {
      clock.mockRestore();
    }
  });

  it("serves a caller again only after a pause as long as its last task, if this is enabled", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    try {
      const queue = new FairQueue<string>({ concurrency: 2, concurrencyPerCaller: 1, cooldown: true });
      const first = queue.run("a", () => new Promise((resolve) => setTimeout(resolve, 40)));
      await vi.advanceTimersByTimeAsync(40);
      await first;
      let rested = false;
      const again = queue.run("a", async () => {
        rested = true;
      });
      await queue.run("b", async () => undefined);
      await vi.advanceTimersByTimeAsync(39);
      expect(rested).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await again;
      expect(rested).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it("releases a slot once, even if released repeatedly", async () => {
    const queue = new FairQueue<string>({ concurrency: 1 });
    const end = await queue.acquire("a");
    const { done, finish } = work();
    const second = queue.run("b", () => done);
    const third = queue.run("c", settled);
    end();
    end();
    let began = false;
    third.then(() => {
      began = true;
    });
    await settled();
    expect(began).toBe(false);
    finish();
    await Promise.all([second, third]);
  });

  it("refuses a task only if its caller has too many waiting tasks", async () => {
    const queue = new FairQueue<string>({ concurrency: 1, maxWaitingPerCaller: 2 });
    const { done, finish } = work();
    const first = queue.run("a", () => done);
    const waiting = [queue.run("a", settled), queue.run("a", settled)];
    await expect(queue.run("a", settled)).rejects.toThrow("Too many tasks are waiting");
    const other = queue.run("b", settled);
    finish();
    await Promise.all([first, ...waiting, other]);
  });

  it("drops a waiting task whose signal is aborted, and accepts another one", async () => {
    const queue = new FairQueue<string>({ concurrency: 1, maxWaiting: 1 });
    const { done, finish } = work();
    const first = queue.run("a", () => done);
    const left = new AbortController();
    const dropped = queue.run("b", settled, left.signal);
    await expect(queue.run("c", settled)).rejects.toThrow("Too many tasks are waiting");
    left.abort(new Error("left"));
    await expect(dropped).rejects.toThrow("left");
    const next = queue.run("c", async () => "done");
    finish();
    await first;
    expect(await next).toBe("done");
  });
});
