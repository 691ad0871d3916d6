import { EventEmitter } from "node:events";
import type { FastifyRequest } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../config.js";
import { limitArrival } from "./arrival.js";

const config = readConfig({ UPLOAD_PAUSE_MS: "8000" });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** An upload of which nothing has arrived yet. */
function upload() {
  const socket = { bytesRead: 0 };
  const raw = Object.assign(new EventEmitter(), { complete: false, socket, destroy: vi.fn() });
  const request = { raw, routeOptions: { config: { operation: { takesSlot: true } } } };
  limitArrival(request as unknown as FastifyRequest, config);
  return { raw, socket };
}

describe("an upload that stands still", () => {
  it("is cut off after the pause that is set and an eighth of it at most, whenever the pause began", () => {
    for (const arrivesMs of [0, 1, 500, 999, 1000, 7999, 30_000]) {
      const { raw, socket } = upload();
      vi.advanceTimersByTime(0);
      for (let ms = 0; ms < arrivesMs; ms++) {
        socket.bytesRead++;
        vi.advanceTimersByTime(1);
      }
      vi.advanceTimersByTime(7_999);
      expect(raw.destroy, `${arrivesMs} ms`).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_001);
      expect(raw.destroy, `${arrivesMs} ms`).toHaveBeenCalledOnce();
      raw.emit("close");
    }
  });

  it("is not, as long as something comes within the pause", () => {
    const { raw, socket } = upload();
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(7_900);
      socket.bytesRead++;
    }
    expect(raw.destroy).not.toHaveBeenCalled();
    raw.emit("end");
  });
});
