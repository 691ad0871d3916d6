import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { onSchedule } from "./schedule.js";

/** Returns the random number for constant intervals: each call is due 10 ms after the previous one. */
const everyTenMs = () => 1 - Math.exp(-1);

describe("calls on a schedule", () => {
  it("keep their due times while an earlier request takes a long time", async () => {
    const fromMs = performance.now();
    const dueAfterMs: number[] = [];
    const madeAfterMs: number[] = [];
    const schedule = { everyMs: 10, random: everyTenMs, fromMs, untilMs: fromMs + 55 };
    await onSchedule(schedule, async (dueAtMs) => {
      dueAfterMs.push(Math.round(dueAtMs - fromMs));
      madeAfterMs.push(performance.now() - fromMs);
      if (dueAfterMs.length === 1) await sleep(100);
    });
    expect(dueAfterMs).toEqual([10, 20, 30, 40, 50]);
    // The second call waits for the first, and its latency includes this time.
    expect(madeAfterMs[1]).toBeGreaterThanOrEqual(100);
  });

  it("are counted even if they were never sent", async () => {
    const untilMs = performance.now() - 60_000;
    const schedule = { everyMs: 10, random: everyTenMs, fromMs: untilMs - 55, untilMs };
    const unmade = await onSchedule(schedule, async () => {
      throw new Error("is not called");
    });
    expect(unmade).toBe(5);
  });
});
