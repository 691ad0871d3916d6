/** Tests conflicts with the environment of a process: a port in use, and a clock that was set back. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { serveMetrics } from "../src/http/monitoring/metrics.js";
import { checkClock } from "../src/jobs/clock-check.js";
import { service } from "./service.js";

it("a second process uses a free port for its metrics if the first process uses the default port", async () => {
  const { app } = (await service()).service;
  const first = createServer().listen(0, "127.0.0.1");
  await once(first, "listening");
  const { port } = first.address() as AddressInfo;
  const warned: { metricsPort: number }[] = [];
  const log = { ...app.log, warn: (details: { metricsPort: number }) => warned.push(details) };
  const own = { metrics: app.metrics, readiness: app.readiness, dependencies: app.dependencies, log };
  const { port: chosen, stop } = await serveMetrics(own as unknown as typeof app, "127.0.0.1", port, port);
  const [warning] = warned;
  const answer = await fetch(`http://127.0.0.1:${warning?.metricsPort}/health/live/`);
  expect([warning?.metricsPort === port, answer.status]).toEqual([false, 200]);
  // This is the port that the process reports when it is ready.
  expect(chosen).toBe(warning?.metricsPort);
  await stop();
  // A configured port is not replaced by another one.
  await expect(serveMetrics(app, "127.0.0.1", port)).rejects.toThrow("EADDRINUSE");
  first.close();
});

it("a warning is logged if the clock is a day slow, but not if it is correct", async () => {
  const s = await service();
  await s.manager();
  const warned: string[] = [];
  const log = { warn: (_: unknown, message: string) => warned.push(message) };
  const at = (offsetMs: number) => ({ now: () => new Date(Date.now() + offsetMs) });
  const { queries } = s.store.database;
  await checkClock({ queries, clock: at(0) }, log as never);
  expect(warned).toEqual([]);
  await checkClock({ queries, clock: at(-86_400_000) }, log as never);
  expect(warned).toEqual([
    expect.stringContaining("behind the newest row of the audit"),
    expect.stringContaining("clocks of this machine and of the database differ"),
  ]);
});
