import { Writable } from "node:stream";
import multipart from "@fastify/multipart";
import Fastify from "fastify";
import { expect, it, vi } from "vitest";
import { logOptions } from "./log.js";

it("the log of a form at the lowest level contains no token", async () => {
  let log = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const app = Fastify({ logger: { ...logOptions("trace"), stream } });
  await app.register(multipart);
  app.post("/", async (request) => {
    for await (const _part of request.parts());
    return "";
  });
  await app.inject({
    method: "POST",
    url: "/",
    headers: { authorization: "Bearer a-token", "content-type": "multipart/form-data; boundary=b" },
    payload: "--b--\r\n",
  });
  expect(log).toContain("busboy");
  expect(log).not.toContain("a-token");
});

it("an outage of the database is logged immediately, and then once per second with the number of failures", () => {
  vi.useFakeTimers();
  try {
    const lines: { msg: string; times?: number }[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const { log } = Fastify({ logger: { ...logOptions("info"), stream } });
    const fail = (count: number) => {
      for (let n = 0; n < count; n++)
        log.warn({ err: new Error("Connection terminated unexpectedly") }, "unavailable");
    };
    fail(1_000);
    vi.advanceTimersByTime(1_000);
    fail(800);
    vi.advanceTimersByTime(5_000);
    fail(1);
    expect(lines.map(({ msg, times }) => [msg, times])).toEqual([
      ["unavailable", undefined],
      ["unavailable", 999],
      ["unavailable", 800],
      ["unavailable", undefined],
    ]);
    // Lines that are not about an outage are always written.
    for (let n = 0; n < 3; n++) log.error({ err: new Error("a bug") }, "request failed");
    expect(lines).toHaveLength(7);
    // A full disk of the data folder is an outage, too.
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    for (let n = 0; n < 3; n++) log.warn({ err: full }, "no space");
    expect(lines).toHaveLength(8);
  } finally {
    vi.useRealTimers();
  }
});
