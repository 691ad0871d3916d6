import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SampleRoom } from "./sample-room.js";

const MOST = { total: 40, ofAddress: 30, ofAccount: 20 };

/** A room, and the computations in it by name. */
function openRoom() {
  const room = new SampleRoom(MOST);
  const inside = new Map<string, () => void>();
  return {
    room,
    inside: () => [...inside.keys()],
    /** Does not wait until the computation has entered. */
    async arrive(name: string, samples: number, account: number, group = `home of ${account}`) {
      const entering = room.enter({ account, group }, samples, new AbortController().signal);
      void entering.then((leave) => inside.set(name, leave));
      await immediate();
    },
    async leave(name: string) {
      inside.get(name)?.();
      inside.delete(name);
      await immediate();
    },
  };
}

describe("the samples of computations", () => {
  it("are limited in total: others enter in the order of their arrival when there is room", async () => {
    const { arrive, inside, leave } = openRoom();
    await arrive("a", 20, 1);
    await arrive("b", 15, 2);
    await arrive("large", 20, 3);
    await arrive("small", 5, 4);
    expect(inside()).toEqual(["a", "b"]);
    await leave("b");
    expect(inside()).toEqual(["a", "large"]);
    await leave("large");
    expect(inside()).toEqual(["a", "small"]);
  });

  it("of one account or address do not keep others waiting", async () => {
    const { arrive, inside, leave } = openRoom();
    await arrive("a1", 15, 1, "club");
    await arrive("a2", 10, 1, "club");
    await arrive("b1", 15, 2, "club");
    await arrive("c1", 1, 3, "club");
    await arrive("other", 10, 4, "home");
    expect(inside()).toEqual(["a1", "b1", "other"]);
    await leave("a1");
    expect(inside()).toEqual(["b1", "other", "a2", "c1"]);
  });

  it("count as the limit of an account if they are more, so each computation enters at some time", async () => {
    const { arrive, inside, leave } = openRoom();
    await arrive("huge", 1_000, 1);
    await arrive("other", 20, 2);
    await arrive("third", 1, 3);
    expect(inside()).toEqual(["huge", "other"]);
    await leave("huge");
    expect(inside()).toEqual(["other", "third"]);
  });

  it("need no room when nobody waits for them any more", async () => {
    const { room, arrive, inside } = openRoom();
    await arrive("a", 20, 1);
    await arrive("b", 15, 2);
    const gone = new AbortController();
    const waiting = room.enter({ account: 3 }, 20, gone.signal);
    await arrive("c", 5, 4);
    expect(inside()).toEqual(["a", "b"]);
    const left = new Error("left");
    gone.abort(left);
    await expect(waiting).rejects.toBe(left);
    expect(inside()).toEqual(["a", "b", "c"]);
    await expect(room.enter({ account: 5 }, 1, gone.signal)).rejects.toBe(left);
  });
});
