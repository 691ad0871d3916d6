import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startAutovacuum } from "./vacuum.js";

/** Creates a database without tables to vacuum. Its only connection may be in use. */
function busyDatabase() {
  const waiting: (() => void)[] = [];
  let checks = 0;
  const query = () => {
    checks++;
    return new Promise((resolve) => waiting.push(() => resolve({ rows: [] })));
  };
  return {
    pool: { query } as unknown as Pick<pg.Pool, "query">,
    checks: () => checks,
    answer: () => waiting.shift()?.(),
  };
}

describe("the checks of the tables", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("do not accumulate while one waits for the connection, and continue after it", async () => {
    const { pool, checks, answer } = busyDatabase();
    const stop = startAutovacuum(pool);
    await vi.advanceTimersByTimeAsync(60_000);
    answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(checks()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(checks()).toBe(2);
    answer();
    await stop();
  });

  it("stop after the current check", async () => {
    const { pool, checks, answer } = busyDatabase();
    const stop = startAutovacuum(pool);
    await vi.advanceTimersByTimeAsync(2_000);
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([stopped, checks()]).toEqual([false, 1]);
    answer();
    await stopping;
    expect(stopped).toBe(true);
  });
});
