import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { describe, expect, it } from "vitest";
import { LIVE_LIMITS, LiveConnections } from "./live-connections.js";

/** Creates a response to a client at an address, on a separate connection. */
function response(address: string) {
  const raw = Object.assign(new EventEmitter(), { closed: false });
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const request = { raw: { socket }, onBehalfOf: { group: address } };
  return { raw, request } as unknown as FastifyReply & { raw: EventEmitter };
}

const throttled = expect.objectContaining({ kind: "throttled" });

describe("connections with live data", () => {
  it("take at most half of all connections for the users of one address; ended connections are released", () => {
    const connections = new LiveConnections(LIVE_LIMITS);
    const clubs = Array.from({ length: 128 }, (_, n) => {
      const club = response("club");
      connections.open(n % 8, n, club);
      return club;
    });
    expect(() => connections.open(8, 1, response("club"))).toThrow(throttled);
    for (let n = 0; n < 128; n++) connections.open(100 + (n % 8), n, response("home"));
    expect(connections.size).toBe(256);
    clubs[0]?.raw.emit("close");
    connections.open(8, 1, response("club"));
    expect(() => connections.open(8, 2, response("club"))).toThrow(throttled);
  });

  it("can be replaced by a new connection of the same full address, but not of another full address", () => {
    const connections = new LiveConnections(LIVE_LIMITS);
    for (let n = 0; n < 128; n++) connections.open(n % 8, n, response("club"));
    const replaced = connections.open(0, 200, response("home"));
    expect(() => connections.open(0, 200, response("club"))).toThrow(throttled);
    expect(replaced.aborted).toBe(false);
    connections.open(0, 0, response("club"));
    connections.open(0, 200, response("mobile"));
    expect(replaced.reason).toBe("replaced");
    expect(connections.size).toBe(129);
  });

  it("are limited to 32 per user", () => {
    const connections = new LiveConnections(LIVE_LIMITS);
    for (let n = 0; n < 32; n++) connections.open(1, n, response("home"));
    expect(() => connections.open(1, 32, response("mobile"))).toThrow(throttled);
    connections.open(2, 32, response("home"));
  });

  it("end for users of addresses with fewer connections if the process is full: the oldest of the address with the most", () => {
    const connections = new LiveConnections({ process: 8, address: 5, user: 100 });
    const open = (address: string, target: number) => connections.open(1, target, response(address));
    const [home, ...clubs] = ["home", "club", "club", "club", "club", "club", "mobile", "home"].map(open);
    const ended = () => clubs.slice(0, 5).map(({ reason }) => reason);
    open("train", 8);
    expect(ended()).toEqual(["unavailable", ...Array(4).fill(undefined)]);
    open("mobile", 9);
    expect(ended()).toEqual(["unavailable", "unavailable", ...Array(3).fill(undefined)]);
    // The connections of the club come back only in place of other ones of its own.
    for (const address of ["club", "home", "mobile"]) expect(() => open(address, 10)).toThrow(throttled);
    expect(connections.size).toBe(8);
    expect(home?.aborted).toBe(false);
  });
});

describe("connections whose work takes longer than their responses", () => {
  it("are counted until their work has ended", () => {
    const connections = new LiveConnections({ process: 1, address: 1, user: 1 });
    const client = response("club");
    const held = connections.hold(1, 1, client);
    client.raw.emit("close");
    expect(held.signal.aborted).toBe(true);
    expect(() => connections.hold(1, 2, response("club"))).toThrow(throttled);
    held.release();
    connections.hold(1, 2, response("club"));
  });

  it("begin their work after the work of the replaced connection has ended; a third connection is refused meanwhile", async () => {
    const connections = new LiveConnections(LIVE_LIMITS);
    const first = connections.hold(1, 1, response("club"));
    await first.replacedWork;
    const second = connections.hold(1, 1, response("club"));
    expect(first.signal.reason).toBe("replaced");
    expect(() => connections.hold(1, 1, response("club"))).toThrow(throttled);
    expect(second.signal.aborted).toBe(false);
    first.release();
    await second.replacedWork;
    connections.hold(1, 1, response("club"));
    expect(second.signal.reason).toBe("replaced");
  });

  it("begin their work after the work of the connection that ends for them", async () => {
    const connections = new LiveConnections({ process: 2, address: 2, user: 2 });
    const [first] = [1, 2].map((target) => connections.hold(1, target, response("club")));
    const other = connections.hold(2, 1, response("home"));
    expect(first?.signal.reason).toBe("unavailable");
    let hasBegun = false;
    const begun = other.replacedWork.then(() => {
      hasBegun = true;
    });
    await new Promise(setImmediate);
    expect(hasBegun).toBe(false);
    first?.release();
    await begun;
    expect(connections.size).toBe(2);
  });
});
