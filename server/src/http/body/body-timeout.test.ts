import { EventEmitter } from "node:events";
import type { FastifyRequest } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../config/config.js";
import { enforceBodyTimeout } from "./body-timeout.js";

const config = readConfig({ TRANSFER_GRACE_MS: "8000" });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Creates a request whose body has not started to arrive. */
function request(operation: object, bodyLimit: number, destroyed = false) {
  const socket = { bytesRead: 0 };
  const raw = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed,
    readableLength: 0,
    socket,
    destroy: vi.fn(),
  });
  const arriving = { raw, routeOptions: { bodyLimit, config: { operation } } };
  enforceBodyTimeout(arriving as unknown as FastifyRequest, config);
  return { raw, socket };
}

const upload = () => request({ takesSlot: true }, 1);

describe("the timeout of a request body", () => {
  it("aborts a body that stalls, during uploads and for routes with large bodies", () => {
    for (const begin of [upload, () => request({}, 1_000_000)]) {
      const { raw } = begin();
      vi.advanceTimersByTime(8_000);
      expect(raw.destroy).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      expect(raw.destroy).toHaveBeenCalledOnce();
      raw.emit("close");
    }
  });

  it("does not abort a body that keeps the minimum rate, waits for the service or has ended", () => {
    const { raw, socket } = upload();
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(5_000);
      socket.bytesRead += 5 * 16_384;
    }
    raw.readableLength = 1;
    vi.advanceTimersByTime(60_000);
    raw.readableLength = 0;
    raw.emit("end");
    vi.advanceTimersByTime(600_000);
    expect(raw.destroy).not.toHaveBeenCalled();
  });

  it("requires no minimum rate for small bodies", () => {
    const small = request({}, 64 * 1024);
    const larger = request({}, 64 * 1024 + 1);
    vi.advanceTimersByTime(30_000);
    expect(small.raw.destroy).not.toHaveBeenCalled();
    expect(larger.raw.destroy).toHaveBeenCalled();
  });

  it("ends when the connection closes", () => {
    const { raw } = upload();
    raw.emit("close");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("aborts a body after the total time limit, even if it arrives quickly", () => {
    const { raw } = request({}, 1);
    vi.advanceTimersByTime(59_999);
    expect(raw.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(raw.destroy).toHaveBeenCalledOnce();
  });

  it("ignores a body whose client has already disconnected", () => {
    const { raw } = request({ takesSlot: true }, 1, true);
    expect(vi.getTimerCount()).toBe(0);
    expect(raw.destroy).not.toHaveBeenCalled();
  });
});
