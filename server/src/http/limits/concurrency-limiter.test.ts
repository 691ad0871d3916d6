import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConcurrencyLimiter } from "./concurrency-limiter.js";

/** An answer to a user on a connection of its own. */
function answer(user: number, { address = `of ${user}`, hasLeft = false } = {}) {
  const raw = Object.assign(new EventEmitter(), { closed: hasLeft });
  const socket = Object.assign(new EventEmitter(), { destroyed: hasLeft, destroy: () => raw.emit("close") });
  const request = { raw: { socket }, ctx: { caller: { id: user } }, onBehalfOf: { group: address } };
  return { raw, request } as unknown as FastifyReply & { raw: EventEmitter };
}

const throttled = expect.objectContaining({ kind: "throttled", retryAfterMs: 5_000 });
const [ANN, BOB, EVE] = [1, 2, 3];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function isWaiting(taken: Promise<unknown>): Promise<boolean> {
  let waits = true;
  taken.then(
    () => {
      waits = false;
    },
    () => {},
  );
  await vi.advanceTimersByTimeAsync(0);
  return waits;
}

describe("slots", () => {
  it("are so many of one user, who is refused at once; who finds all taken waits for one", async () => {
    const slots = new ConcurrencyLimiter(4, 2);
    const first = answer(ANN);
    await slots.take(first);
    await slots.take(answer(ANN));
    await expect(slots.take(answer(ANN))).rejects.toEqual(throttled);
    await slots.take(answer(BOB));
    await slots.take(answer(BOB));
    const late = slots.take(answer(EVE));
    expect(await isWaiting(late)).toBe(true);
    first.raw.emit("close");
    expect(await isWaiting(late)).toBe(false);
  });

  it("are half of all for the users of one address together: another address finds one at once", async () => {
    const slots = new ConcurrencyLimiter(8, 1);
    const many = Array.from({ length: 8 }, (_, user) => slots.take(answer(user, { address: "club" })));
    const states = await Promise.all(many.map(isWaiting));
    expect(states.filter((waits) => !waits)).toHaveLength(4);
    expect(await isWaiting(slots.take(answer(99, { address: "home" })))).toBe(false);
    const refused = Promise.allSettled(many.slice(4));
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await refused).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  });

  it("are given back once, however often that is said", async () => {
    const slots = new ConcurrencyLimiter(4, 2);
    const first = answer(ANN);
    const release = await slots.take(first);
    await slots.take(answer(ANN));
    release();
    release();
    first.raw.emit("close");
    await slots.take(answer(ANN));
    await expect(slots.take(answer(ANN))).rejects.toEqual(throttled);
  });

  it("are not taken by a client who has left", async () => {
    const slots = new ConcurrencyLimiter(1, 1);
    await expect(slots.take(answer(ANN, { hasLeft: true }))).rejects.toThrow("Client closed request");
    await slots.take(answer(ANN));
  });
});
