import { expect, it, vi } from "vitest";
import { startComputer } from "./computer.js";
import type { ComputationTask } from "./task.js";

const NOTHING_TO_COMPUTE = { chunks: [] } as unknown as ComputationTask;

it("a thread that computes starts when it is needed, and ends when it has nothing to do", async () => {
  const computer = startComputer(1, 100);
  try {
    expect(computer.threads).toBe(0);
    await computer.compute(NOTHING_TO_COMPUTE).catch(() => undefined);
    expect(computer.threads).toBe(1);
    await vi.waitFor(() => expect(computer.threads).toBe(0), { timeout: 30_000 });
    await computer.compute(NOTHING_TO_COMPUTE).catch(() => undefined);
    expect(computer.threads).toBe(1);
  } finally {
    await computer.close();
  }
});
