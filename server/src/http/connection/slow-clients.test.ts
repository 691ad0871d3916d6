import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../config/config.js";
import { cutSlowReaders, TransferRate, transferOf } from "./slow-clients.js";

const config = readConfig({ TRANSFER_MIN_BYTES_PER_SECOND: "16384", TRANSFER_GRACE_MS: "10000" });

/** Checks until the client is too slow. @returns the time in ms, or null if it exceeds ten minutes */
function cutAfter(bytesAt: (ms: number) => number, creditMs = 0): number | null {
  const rate = new TransferRate(config, 0, creditMs);
  for (let ms = rate.intervalMs; ms <= 600_000; ms += rate.intervalMs) {
    if (rate.check(bytesAt(ms), true)) return ms;
  }
  return null;
}

describe("a transfer", () => {
  it("is aborted after it has stalled for 10 s, at any time", () => {
    expect(cutAfter(() => 0)).toBe(11_250);
    expect(cutAfter((ms) => Math.min(ms, 60_000) * 100)).toBe(71_250);
  });

  it("is aborted at one byte in 10 s, or at half the minimum rate", () => {
    expect(cutAfter((ms) => Math.floor(ms / 10_000))).toBe(11_250);
    expect(cutAfter((ms) => ms * 8.192)).toBe(21_250);
  });

  it("is not aborted if it keeps the minimum rate, even if it arrives in bursts", () => {
    expect(cutAfter((ms) => ms * 16.5)).toBeNull();
    expect(cutAfter((ms) => Math.floor(ms / 8_000) * 8_000 * 17)).toBeNull();
  });

  it("can pause for longer if it was faster than the minimum rate", () => {
    expect(cutAfter((ms) => (ms < 40_000 ? 1e6 : 1e6), 60_000)).toBe(71_250);
  });

  it("is not checked while it waits for the service", () => {
    const rate = new TransferRate(config, 0);
    for (let i = 0; i < 100; i++) expect(rate.check(0, false)).toBe(false);
  });
});

describe("a request", () => {
  const moved = (complete: boolean, readableLength: number, [bytesWritten, writeQueueSize] = [0, 0]) =>
    transferOf({
      socket: { bytesRead: 100, _handle: { bytesWritten, writeQueueSize } },
      complete,
      readableLength,
    } as unknown as IncomingMessage);

  it("waits for its client while the body is incomplete or the response is unread", () => {
    expect(moved(false, 0)).toEqual({ bytes: 100, waitsForClient: true });
    expect(moved(true, 0, [50, 20])).toEqual({ bytes: 130, waitsForClient: true });
  });

  it("waits for the service while arrived bytes are unread, and when everything has arrived", () => {
    expect(moved(false, 10)).toEqual({ bytes: 100, waitsForClient: false });
    expect(moved(true, 0, [50, 0])).toEqual({ bytes: 150, waitsForClient: false });
  });

  it("keeps its count of transferred bytes after its connection has closed", () => {
    const request = { socket: { bytesRead: 100, _handle: null }, complete: true, readableLength: 0 };
    expect(transferOf(request as unknown as IncomingMessage)).toEqual({ bytes: 100, waitsForClient: false });
  });
});

describe("a client that receives a response", () => {
  const server = new EventEmitter();
  const hooks: (() => Promise<void>)[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    const app = { server, addHook: (_: string, hook: () => Promise<void>) => hooks.push(hook) };
    cutSlowReaders(app as unknown as FastifyInstance, config);
  });

  afterEach(async () => {
    for (const hook of hooks.splice(0)) await hook();
    expect(vi.getTimerCount()).toBe(0);
    server.removeAllListeners();
    vi.useRealTimers();
  });

  /** Creates a connection to which this number of bytes was written. The client has received none of them. */
  function connect(bytesWritten: number) {
    const handle = { bytesWritten, writeQueueSize: bytesWritten };
    const socket = Object.assign(new EventEmitter(), {
      _handle: handle as typeof handle | null,
      destroy: vi.fn(),
    });
    server.emit("connection", socket);
    return { socket, handle };
  }

  it("is disconnected if it reads nothing", () => {
    const { socket } = connect(1e6);
    vi.advanceTimersByTime(10_000);
    expect(socket.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_250);
    expect(socket.destroy).toHaveBeenCalledOnce();
  });

  it("is not disconnected while it reads at the minimum rate or has read everything", () => {
    const reading = connect(1e9);
    const waiting = connect(0);
    for (let i = 0; i < 60; i++) {
      reading.handle.writeQueueSize -= 16_384 * 1.25;
      vi.advanceTimersByTime(1_250);
    }
    expect(reading.socket.destroy).not.toHaveBeenCalled();
    expect(waiting.socket.destroy).not.toHaveBeenCalled();
  });

  it("can pause for one more minute if it has read faster than the minimum rate", () => {
    const { socket, handle } = connect(1e9);
    handle.writeQueueSize = 1;
    vi.advanceTimersByTime(1_250);
    vi.advanceTimersByTime(70_000);
    expect(socket.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_250);
    expect(socket.destroy).toHaveBeenCalledOnce();
  });

  it("is ignored when its connection has closed or is closing", () => {
    const [closed, closing] = [connect(1e6), connect(1e6)];
    closed.socket.emit("close");
    closing.socket._handle = null;
    vi.advanceTimersByTime(60_000);
    expect(closed.socket.destroy).not.toHaveBeenCalled();
    expect(closing.socket.destroy).not.toHaveBeenCalled();
  });
});
