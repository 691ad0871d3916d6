import { readdirSync, readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import type { ComputationTask } from "../../change/compute-pool.js";
import { startComputer } from "./pool.js";

const NOTHING_TO_COMPUTE: ComputationTask = {
  deviceId: 1,
  chunks: [],
  options: { from: 0, to: 1_000, periods: [] },
  recipes: [],
  computedAtMs: 0,
};

it("a computation thread starts on demand and ends when idle", async () => {
  const computer = startComputer(1, () => new Error("too many"), 100);
  try {
    expect(computer.threads).toBe(0);
    await computer.compute(NOTHING_TO_COMPUTE);
    expect(computer.threads).toBe(1);
    await vi.waitFor(() => expect(computer.threads).toBe(0), { timeout: 30_000 });
    await computer.compute(NOTHING_TO_COMPUTE);
    expect(computer.threads).toBe(1);
  } finally {
    await computer.close();
  }
});

/** Priorities of the threads of this process: proc(5), field 19 of `stat`, which is counted after the name in parentheses. */
const priorities = () =>
  readdirSync("/proc/self/task").map((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });

it.runIf(process.platform === "linux")(
  "a computation yields to requests, but gets a tenth of a processor that they keep busy",
  async () => {
    const computer = startComputer(1, () => new Error("too many"));
    try {
      await computer.compute(NOTHING_TO_COMPUTE);
      // Each step is a factor of 1.25 (sched(7)), so 10 steps are one of 1024 / 110.
      expect(Math.max(...priorities())).toBe(10);
    } finally {
      await computer.close();
    }
  },
);
