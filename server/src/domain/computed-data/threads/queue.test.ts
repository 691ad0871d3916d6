import { setMaxListeners } from "node:events";
import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { EnterRoom } from "../../change/compute-pool.js";
import { errors } from "../../change/errors.js";
import { CallersLeftError, ComputationQueue } from "./queue.js";

const refusal = errors.throttled;

/** Waits until released slots are assigned, in the next iteration of the event loop. */
async function turn() {
  await immediate();
  await immediate();
}

/** Creates work that reports its start and ends on request. */
function workshop() {
  const begun: string[] = [];
  const ends = new Map<string, (value: string) => void>();
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, resolve));
    },
    async end(name: string) {
      ends.get(name)?.(name);
      await turn();
    },
  };
}

describe("computations", () => {
  it("are returned to one caller per iteration of the event loop", async () => {
    const queue = new ComputationQueue(1, refusal);
    const handed: number[] = [];
    let turns = 0;
    const shared = Array.from({ length: 5 }, async () => {
      await queue.share("frame", { account: 1 }, async () => "result");
      handed.push(turns);
    });
    const next = () => {
      turns += 1;
      if (handed.length < shared.length) setImmediate(next);
    };
    next();
    await Promise.all(shared);
    expect(new Set(handed).size).toBe(5);
  });

  it("with the same key run once, and every caller gets the result", async () => {
    const queue = new ComputationQueue(1, refusal);
    const { begun, work, end } = workshop();
    const all = Array.from({ length: 250 }, () => queue.share("frame", { account: 1 }, work("frame")));
    await turn();
    await end("frame");
    expect(new Set(await Promise.all(all))).toEqual(new Set(["frame"]));
    expect(begun).toEqual(["frame"]);
    const anew = queue.share("frame", { account: 1 }, work("anew"));
    await turn();
    await end("anew");
    expect(await anew).toBe("anew");
  });

  it("leave a thread to others if all belong to one account", async () => {
    const queue = new ComputationQueue(3, refusal);
    const { begun, work } = workshop();
    for (const key of ["a", "b", "c"]) void queue.share(key, { account: 1 }, work(key));
    void queue.share("other", { account: 2 }, work("other"));
    await turn();
    expect(begun).toEqual(["a", "b", "other"]);
  });

  it("wait while another account is served if they belong to one account", async () => {
    const queue = new ComputationQueue(1, refusal);
    const { begun, work, end } = workshop();
    for (const name of ["a1", "a2", "a3"]) queue.share(name, { account: 1 }, work(name));
    queue.share("b1", { account: 2 }, work("b1"));
    await turn();
    const order = ["a1", "b1", "a2", "a3"];
    for (const name of order) await end(name);
    expect(begun).toEqual(order);
  });

  it("take turns between addresses, and leave a thread to another address, if many accounts share an address", async () => {
    const queue = new ComputationQueue(3, refusal);
    const { begun, work, end } = workshop();
    for (const account of [1, 2, 3, 4, 5])
      void queue.share(`club ${account}`, { account, group: "club" }, work(`club ${account}`));
    void queue.share("home", { account: 6, group: "home" }, work("home"));
    void queue.share("home again", { account: 6, group: "home" }, work("home again"));
    await turn();
    expect(begun).toEqual(["club 1", "club 2", "home"]);
    await end("club 1");
    expect(begun.slice(3)).toEqual(["home again"]);
  });

  it("are refused if too many computations of the accounts of one address wait, while others are accepted", async () => {
    const queue = new ComputationQueue(1, refusal);
    const { work } = workshop();
    void queue.share("held", { account: 0 }, work("held"));
    await turn();
    const asked = Array.from({ length: 201 }, (_, account) =>
      queue.share(`${account}`, { account: 1 + account, group: "club" }, work(`${account}`)),
    );
    await expect(asked[200]).rejects.toMatchObject({ kind: "throttled" });
    const other = queue.share("other", { account: 999, group: "home" }, work("other"));
    const outcome = await Promise.race([other.catch(() => "refused"), turn().then(() => "waits")]);
    expect(outcome).toBe("waits");
  });

  it("are dropped exactly when all waiting callers have disconnected", async () => {
    const queue = new ComputationQueue(1, refusal);
    const { begun, work, end } = workshop();
    const first = queue.share("first", { account: 1 }, work("first"));
    const [one, two] = [new AbortController(), new AbortController()];
    const shared = [one, two].map(({ signal }) =>
      queue.share("shared", { account: 1, signal }, work("shared")),
    );
    const left = new AbortController();
    const alone = queue.share("alone", { account: 1, signal: left.signal }, work("alone"));
    await turn();
    one.abort();
    left.abort();
    await expect(alone).rejects.toBeInstanceOf(CallersLeftError);
    await end("first");
    await end("shared");
    expect(await Promise.all([first, ...shared])).toEqual(["first", "shared", "shared"]);
    expect(begun).toEqual(["first", "shared"]);
  });

  it("are refused if too many computations of one account wait, while others are accepted", async () => {
    const queue = new ComputationQueue(1, refusal);
    const { work, end } = workshop();
    const held = queue.share("held", { account: 9 }, work("held"));
    await turn();
    const left = new AbortController();
    setMaxListeners(0, left.signal);
    const asked = Array.from({ length: 41 }, (_, index) =>
      queue.share(`a${index}`, { account: 1, signal: left.signal }, work(`a${index}`)),
    );
    const outcomes = Promise.allSettled(asked);
    await expect(asked[40]).rejects.toMatchObject({ kind: "throttled" });
    const other = queue.share("b", { account: 2 }, work("b"));
    left.abort();
    await end("held");
    await end("b");
    expect(await Promise.all([held, other])).toEqual(["held", "b"]);
    expect((await outcomes).filter(({ status }) => status === "fulfilled")).toEqual([]);
  });

  it("are refused if too many computations of all accounts together wait", async () => {
    const queue = new ComputationQueue(1, refusal);
    const { work, end } = workshop();
    const held = queue.share("held", { account: 0 }, work("held"));
    await turn();
    const left = new AbortController();
    setMaxListeners(0, left.signal);
    const asked = Array.from({ length: 401 }, (_, index) =>
      queue.share(`${index}`, { account: 1 + (index % 20), signal: left.signal }, work(`${index}`)),
    );
    const outcomes = Promise.allSettled(asked);
    await expect(asked[400]).rejects.toMatchObject({ kind: "throttled" });
    left.abort();
    await end("held");
    expect(await held).toBe("held");
    const refused = (await outcomes).filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(401);
  });

  it("wait for room for their samples, and are dropped when all callers disconnect before there is room", async () => {
    const queue = new ComputationQueue(3, refusal);
    const { begun, work, end } = workshop();
    const compute = (name: string, samples: number) => async (enter: EnterRoom) => {
      begun.push(`${name} began`);
      await enter(samples);
      return work(name)();
    };
    const first = queue.share("a", { account: 1 }, compute("a", 1_500_000));
    const left = new AbortController();
    const dropped = queue.share("b", { account: 1, signal: left.signal }, compute("b", 1_000_000));
    const other = queue.share("c", { account: 2 }, compute("c", 2_000_000));
    await turn();
    expect(begun).toEqual(["a began", "b began", "c began", "a", "c"]);
    left.abort();
    await expect(dropped).rejects.toThrow(CallersLeftError);
    const next = queue.share("d", { account: 1 }, compute("d", 1_000_000));
    await turn();
    expect(begun.slice(5)).toEqual(["d began"]);
    for (const name of ["a", "c", "d"]) await end(name);
    expect(await Promise.all([first, other, next])).toEqual(["a", "c", "d"]);
  });

  it("do not wait for their own samples when they begin again", async () => {
    const queue = new ComputationQueue(1, refusal);
    const again = async (enter: EnterRoom) => {
      await enter(2_000_000);
      await enter(2_000_000);
      return "again";
    };
    expect(await queue.share("a", { account: 1 }, again)).toBe("again");
    expect(await queue.share("b", { account: 1 }, again)).toBe("again");
  });
});
