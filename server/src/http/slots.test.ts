import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { describe, expect, it } from "vitest";
import { Slots } from "./slots.js";

/** An answer on a connection of its own. */
function answer({ hasLeft = false } = {}) {
  const raw = Object.assign(new EventEmitter(), { closed: hasLeft });
  const socket = Object.assign(new EventEmitter(), { destroyed: hasLeft });
  return { raw, request: { raw: { socket } } } as unknown as FastifyReply & { raw: EventEmitter };
}

const throttled = expect.objectContaining({ kind: "throttled", retryAfterMs: 5_000 });

describe("slots", () => {
  it("are so many in all, and so many of one user", () => {
    const slots = new Slots(3, 2);
    slots.take("ann", answer());
    slots.take("ann", answer());
    expect(() => slots.take("ann", answer())).toThrow(throttled);
    slots.take("bob", answer());
    expect(() => slots.take("eve", answer())).toThrow(throttled);
  });

  it("are free again when the answer has ended", () => {
    const slots = new Slots(1, 1);
    const first = answer();
    slots.take("ann", first);
    first.raw.emit("close");
    slots.take("ann", answer());
    expect(() => slots.take("bob", answer())).toThrow(throttled);
  });

  it("are free again for their user too, one at a time", () => {
    const slots = new Slots(9, 2);
    const release = slots.take("ann", answer());
    slots.take("ann", answer());
    release();
    slots.take("ann", answer());
    expect(() => slots.take("ann", answer())).toThrow(throttled);
  });

  it("are given back once, however often that is said", () => {
    const slots = new Slots(2, 2);
    const first = answer();
    const release = slots.take("ann", first);
    slots.take("ann", answer());
    release();
    release();
    first.raw.emit("close");
    slots.take("ann", answer());
    expect(() => slots.take("ann", answer())).toThrow(throttled);
    expect(() => slots.take("bob", answer())).toThrow(throttled);
  });

  it("are not taken by a client who has left", () => {
    const slots = new Slots(1, 1);
    expect(() => slots.take("ann", answer({ hasLeft: true }))).toThrow("The client has left");
    slots.take("ann", answer());
  });
});
