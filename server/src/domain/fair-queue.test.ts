import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.js";

/** Queues work of callers, in the order given; @returns in which order it was done */
async function orderOf(queue: FairQueue, callers: readonly number[]): Promise<number[]> {
  const done: number[] = [];
  await Promise.all(
    callers.map((caller) =>
      queue.run(caller, async () => {
        await setImmediate();
        done.push(caller);
      }),
    ),
  );
  return done;
}

test("a caller with much work does not delay one who comes later", async () => {
  const order = await orderOf(new FairQueue(1), [1, 1, 1, 1, 1, 2, 3]);
  expect(order).toEqual([1, 1, 2, 3, 1, 1, 1]);
});

test("at most as much runs at once as is allowed, and all of it is done", async () => {
  const queue = new FairQueue(2);
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await setImmediate();
    running--;
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => queue.run(i % 3, work)));
  expect(most).toBe(2);
});

test("work that fails gives its place to the next", async () => {
  const queue = new FairQueue(1);
  const failed = queue.run(1, () => Promise.reject(new Error("not read")));
  const next = queue.run(2, async () => "read");
  await expect(failed).rejects.toThrow("not read");
  expect(await next).toBe("read");
});
