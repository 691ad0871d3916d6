/** Tests that requests for the same computed data share one computation, which is dropped when all callers have disconnected. */
import { afterAll, afterEach, beforeAll, describe, expect, it, type MockInstance, vi } from "vitest";
import type { ComputedTexts, ComputePool } from "../src/domain/change/compute-pool.js";
import { exampleComputedData } from "../src/domain/computed-data/example.js";
import { startService, type TestService } from "./service.js";
import { Team } from "./team.js";

// Maximum number of concurrent requests of one caller, including the request that occupies the thread.
const MANY = 15;

let s: TestService;
let team: Team;
let compute: MockInstance<ComputePool["compute"]>;
let share: MockInstance<ComputePool["share"]>;

beforeAll(async () => {
  s = await startService({ computeThreads: 1 });
  team = await Team.of(s);
  compute = vi.spyOn(s.service.computer, "compute");
  share = vi.spyOn(s.service.computer, "share");
});

afterAll(() => s.stop());

afterEach(() => {
  compute.mockClear();
  share.mockClear();
});

/** Occupies the only thread with the computation for another time frame. @returns a function that ends it */
async function holdThread(): Promise<() => Promise<void>> {
  let end: (texts: ComputedTexts) => void = () => expect.fail();
  compute.mockReturnValueOnce(
    new Promise((resolve) => {
      end = resolve;
    }),
  );
  // The time frame contains no samples, so it is computed only once.
  const other = team.computed(await team.frame(10_000, 10_600));
  await expect.poll(() => compute.mock.calls.length).toBe(1);
  return async () => {
    end({
      data: JSON.stringify(exampleComputedData()),
      further: "{}",
      profilePoints: "[]",
      sessionMaxSpeed: null,
    });
    await other;
  };
}

describe("computed data", () => {
  it("are computed once for concurrent requests", async () => {
    const frame = await team.frame(0, 600);
    const release = await holdThread();
    const answers = Array.from({ length: MANY }, () => team.computed(frame));
    await expect.poll(() => share.mock.calls.length).toBe(MANY + 1);
    await release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(MANY).fill(200));
    expect(compute).toHaveBeenCalledTimes(2);
  });

  it("are not computed if all callers have disconnected before the computation starts", async () => {
    const frame = await team.frame(0, 600);
    const release = await holdThread();
    const leaving = new AbortController();
    const left = fetch(`${s.service.url}/api/v1/timeframes/${frame}/computed-data/`, {
      headers: { Authorization: `Bearer ${team.manager.token}` },
      signal: leaving.signal,
    });
    await expect.poll(() => share.mock.calls.length).toBe(2);
    const [, { signal }] = share.mock.calls[1] ?? expect.fail();
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => signal?.aborted).toBe(true);
    await release();
    const next = await team.frame(0, 600);
    expect((await team.computed(next)).status).toBe(200);
    expect(compute).toHaveBeenCalledTimes(2);
  });

  it("use the samples that are stored when a thread becomes free", async () => {
    const frame = await team.frame(0, 600);
    const release = await holdThread();
    const answer = team.computed(frame);
    await expect.poll(() => share.mock.calls.length).toBe(2);
    await team.run(0, 100, 3000, 150);
    await release();
    expect((await answer).body).toMatchObject({ total_distance: 299.7, hr_max: 150 });
    // The result for the earlier inputs is not computed, because it would be stale.
    expect(compute).toHaveBeenCalledTimes(2);
  });
});
