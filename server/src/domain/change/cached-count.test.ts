import { afterEach, expect, it, vi } from "vitest";
import type { Config } from "../../config/config.js";
import { isWithin } from "./cached-count.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Counts how often the rows of a full account are counted in two minutes of refused requests, one each second. */
async function countsInTwoMinutes(durationMs: number): Promise<number> {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const config = {} as Config;
  const count = vi.fn(async () => {
    vi.advanceTimersByTime(durationMs);
    return 11;
  });
  for (let second = 0; second < 120; second++) {
    const now = new Date(second * 1000);
    expect(await isWithin({ config, now }, 10, "rows 1", 1, count)).toBe(false);
  }
  return count.mock.calls.length;
}

it("refused requests count the rows every five seconds if counting is fast", async () => {
  expect(await countsInTwoMinutes(1)).toBe(24);
});

it("refused requests count the rows less often if counting is slow, but every 20 seconds, because rows may have been deleted", async () => {
  expect(await countsInTwoMinutes(200)).toBe(12);
  expect(await countsInTwoMinutes(5000)).toBe(6);
});
