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
