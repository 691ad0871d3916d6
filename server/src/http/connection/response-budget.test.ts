import { describe, expect, it, vi } from "vitest";
import { errors } from "../../domain/change/errors.js";
import { ResponseBudget } from "./response-budget.js";
import type { ResponseShare } from "./response-share.js";

const newBudget = () =>
  new ResponseBudget({
    process: 40,
    address: 30,
    caller: 20,
    fairHoldMs: 30_000,
    overShareHoldMs: 30_000,
    refusal: () => errors.unavailable("Full.", 1_000),
  });
const open = (budget: ResponseBudget, caller: string, address = caller, end = () => {}) =>
  budget.open(caller, address, end);
/** Whether each of the requests has space, after all pending events. */
async function started(requests: readonly Promise<void>[]): Promise<boolean[]> {
  const states = requests.map(() => false);
  requests.forEach((request, index) => {
    request.then(
      () => {
        states[index] = true;
      },
      () => {},
    );
  });
  await vi.advanceTimersByTimeAsync(0);
  return states;
}

describe("the budget of unread responses", () => {
  it("delays requests of a caller until its other responses have been read or are smaller than expected", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    const shares = [1, 2, 3, 4].map(() => open(budget, "ann"));
    const requests = shares.map((share) => share.reserve(10, undefined));
    expect(await started(requests)).toEqual([true, true, false, false]);
    shares[0]?.release();
    expect(await started(requests)).toEqual([true, true, true, false]);
    shares[1]?.resize(0);
    expect(await started(requests)).toEqual([true, true, true, true]);
    for (const share of shares) share.release();
    expect([budget.held, budget.waiting]).toEqual([0, 0]);
    vi.useRealTimers();
  });

  it("counts a growing body once, and delays it only because of other bodies", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    const [own, other] = [open(budget, "ann"), open(budget, "ann")];
    const requests = [own.reserve(5, undefined), other.reserve(5, undefined), own.reserve(15, undefined)];
    expect(await started(requests)).toEqual([true, true, true]);
    expect(budget.heldBy("ann")).toBe(20);
    const more = own.reserve(16, undefined);
    expect(await started([more])).toEqual([false]);
    other.release();
    expect(await started([more, own.reserve(40, undefined)])).toEqual([true, true]);
    expect(budget.heldBy("ann")).toBe(40);
    vi.useRealTimers();
  });

  it("applies to all callers of an address together, and admits another address", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    const reserve = (caller: string, address: string) => open(budget, caller, address).reserve(10, undefined);
    const many = ["a", "b", "c", "d"].map((caller) => reserve(caller, "club"));
    expect(await started([...many, reserve("zoe", "home")])).toEqual([true, true, true, false, true]);
    vi.useRealTimers();
  });

  it("gives free space to the address with the fewest unread bytes", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    const held: ResponseShare[] = [];
    for (const [caller, address] of [
      ["a", "club"],
      ["b", "club"],
      ["c", "club"],
      ["d", "office"],
    ] as const) {
      const share = open(budget, caller, address);
      await share.reserve(10, undefined);
      held.push(share);
    }
    const club = open(budget, "e", "club").reserve(10, undefined);
    const home = open(budget, "zoe", "home").reserve(10, undefined);
    held[0]?.release();
    expect(await started([club, home])).toEqual([false, true]);
    vi.useRealTimers();
  });

  it("refuses a request that has waited too long, and reports whether the caller or others caused the delay", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    await open(budget, "ann").reserve(20, undefined);
    const own = open(budget, "ann").reserve(10, undefined);
    const refused = expect(own).rejects.toMatchObject({ code: "throttled", retryAfterMs: 2_000 });
    await open(budget, "bob").reserve(20, undefined);
    const other = expect(open(budget, "zoe").reserve(10, undefined)).rejects.toMatchObject({
      code: "unavailable",
    });
    await vi.advanceTimersByTimeAsync(15_000);
    await Promise.all([refused, other]);
    expect(budget.waiting).toBe(0);
    vi.useRealTimers();
  });

  it("aborts the slowest response of the address with the most unread bytes when the limit of the process is reached", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    const ended: string[] = [];
    for (const [caller, address, bytes] of [
      ["a", "club", 10],
      ["b", "club", 20],
      ["c", "home", 10],
    ] as const) {
      const share = open(budget, caller, address, () => {
        ended.push(caller);
        share.release();
      });
      await share.reserve(bytes, undefined);
    }
    await vi.advanceTimersByTimeAsync(30_000);
    const late = open(budget, "zoe").reserve(10, undefined);
    expect(await started([late])).toEqual([false]);
    await vi.advanceTimersByTimeAsync(7_500);
    await late;
    expect(ended).toEqual(["a"]);
    vi.useRealTimers();
  });

  it("drops a request whose client disconnects, and reserves separate space for a body larger than the limit", async () => {
    vi.useFakeTimers();
    const budget = newBudget();
    const large = open(budget, "ann");
    await large.reserve(100, undefined);
    const left = new AbortController();
    const waiting = expect(open(budget, "ann").reserve(1, left.signal)).rejects.toThrow("left");
    left.abort(new Error("left"));
    await waiting;
    expect(budget.waiting).toBe(0);
    large.release();
    large.release();
    expect(budget.held).toBe(0);
    vi.useRealTimers();
  });
});
