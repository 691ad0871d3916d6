import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConcurrencyLimiter } from "./concurrency-limiter.js";

/** Creates a response to a user on a separate connection. */
function answer(
  user: number,
  { address = `of ${user}`, hasLeft = false, bytesPerSecond = 1e6, complete = false } = {},
) {
  const raw = Object.assign(new EventEmitter(), { closed: hasLeft });
  const beganMs = performance.now();
  const socket = Object.assign(new EventEmitter(), {
    destroyed: hasLeft,
    destroy: () => raw.emit("close"),
  });
  Object.defineProperty(socket, "bytesRead", {
    get: () => (bytesPerSecond * (performance.now() - beganMs)) / 1000,
  });
  const request = {
    raw: { socket, complete, readableLength: 0 },
    ctx: { caller: { id: user } },
    onBehalfOf: { group: address },
  };
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
  it("are limited per user; beyond the limit a user is refused immediately, and a request waits if all slots are in use", async () => {
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

  it("are limited to half for the users of one address, so another address gets a slot immediately", async () => {
    const slots = new ConcurrencyLimiter(8, 1);
    const many = Array.from({ length: 8 }, (_, user) => slots.take(answer(user, { address: "club" })));
    const states = await Promise.all(many.map(isWaiting));
    expect(states.filter((waits) => !waits)).toHaveLength(4);
    expect(await isWaiting(slots.take(answer(99, { address: "home" })))).toBe(false);
    const refused = Promise.allSettled(many.slice(4));
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await refused).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  });

  it("go from two addresses to a third within seconds, up to its fair share", async () => {
    const slots = new ConcurrencyLimiter(8, 8);
    const ended: string[] = [];
    for (let n = 0; n < 8; n++) {
      const address = n % 2 === 0 ? "club" : "office";
      const response = answer(n, { address });
      response.raw.once("close", () => ended.push(address));
      await slots.take(response);
    }
    const home = () => slots.take(answer(EVE, { address: "home" }));
    const [first, second, third] = [home(), home(), home()];
    await vi.advanceTimersByTimeAsync(11_249);
    expect(await Promise.all([first, second, third].map(isWaiting))).toEqual([true, true, true]);
    const refused = expect(third).rejects.toEqual(throttled);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    expect(ended).toEqual(["club", "office"]);
    await vi.advanceTimersByTimeAsync(3_750);
    await refused;
    expect(ended).toHaveLength(2);
  });

  it("go from slow clients to another address within seconds, oldest first, if each address has one", async () => {
    const slots = new ConcurrencyLimiter(3, 1);
    const ended: number[] = [];
    for (const user of [ANN, BOB, EVE]) {
      const response = answer(user, { bytesPerSecond: user === ANN ? 300_000 : 200_000 });
      response.raw.once("close", () => ended.push(user));
      await slots.take(response);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    const late = slots.take(answer(99));
    await vi.advanceTimersByTimeAsync(11_249);
    expect([await isWaiting(late), ended]).toEqual([true, []]);
    await vi.advanceTimersByTimeAsync(1);
    await late;
    expect(ended).toEqual([BOB]);
  });

  it("do not go from a slow client to an address with the same number of slots", async () => {
    const slots = new ConcurrencyLimiter(3, 1);
    const ended = vi.fn();
    for (const [user, address] of [
      [ANN, "club"],
      [BOB, "office"],
      [EVE, "home"],
    ] as const) {
      const response = answer(user, { address, bytesPerSecond: 0 });
      response.raw.once("close", ended);
      await slots.take(response);
    }
    const refused = expect(slots.take(answer(99, { address: "club" }))).rejects.toEqual(throttled);
    await vi.advanceTimersByTimeAsync(15_000);
    await refused;
    expect(ended).not.toHaveBeenCalled();
  });

  it("go from a slow client to an address that has recently used less, not to one that has used more", async () => {
    const slots = new ConcurrencyLimiter(2, 1);
    const club = () => slots.take(answer(ANN, { address: "club" }));
    const releaseClub = await club();
    await slots.take(answer(BOB, { address: "office" }));
    await vi.advanceTimersByTimeAsync(60_000);
    releaseClub();
    const ended = vi.fn();
    const slow = answer(EVE, { address: "home", bytesPerSecond: 100_000 });
    slow.raw.once("close", ended);
    await slots.take(slow);
    await vi.advanceTimersByTimeAsync(12_000);
    const refused = expect(club()).rejects.toEqual(throttled);
    await vi.advanceTimersByTimeAsync(15_000);
    await refused;
    expect(ended).not.toHaveBeenCalled();
    const other = slots.take(answer(99, { address: "other" }));
    await vi.advanceTimersByTimeAsync(7_500);
    await other;
    expect(ended).toHaveBeenCalled();
  });

  it("stay with a slow client while another address has more than its fair share", async () => {
    const slots = new ConcurrencyLimiter(4, 4);
    const ended = vi.fn();
    const slow = answer(EVE, { address: "home", bytesPerSecond: 100_000 });
    slow.raw.once("close", ended);
    await slots.take(slow);
    await slots.take(answer(BOB, { address: "office" }));
    const club = () => slots.take(answer(ANN, { address: "club" }));
    await vi.advanceTimersByTimeAsync(12_000);
    await club();
    await club();
    const late = slots.take(answer(99, { address: "other" }));
    await vi.advanceTimersByTimeAsync(11_250);
    await late;
    expect(ended).not.toHaveBeenCalled();
  });

  it("stay with fast clients and with clients that wait for the service, if each address has one slot", async () => {
    const slots = new ConcurrencyLimiter(2, 1);
    const ended = vi.fn();
    for (const response of [answer(ANN), answer(BOB, { bytesPerSecond: 0, complete: true })]) {
      response.raw.once("close", ended);
      await slots.take(response);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    const refused = expect(slots.take(answer(EVE))).rejects.toEqual(throttled);
    await vi.advanceTimersByTimeAsync(15_000);
    await refused;
    expect(ended).not.toHaveBeenCalled();
  });

  it("are released once, even if released repeatedly", async () => {
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

  it("are not acquired for a disconnected client", async () => {
    const slots = new ConcurrencyLimiter(1, 1);
    await expect(slots.take(answer(ANN, { hasLeft: true }))).rejects.toThrow("Client closed request");
    await slots.take(answer(ANN));
  });
});
