import perfHooks from "node:perf_hooks";
import Fastify from "fastify";
import { expect, it, vi } from "vitest";
import { measureRequests } from "./metrics.js";

it("services of one process share the metrics of the process, which are never stopped", async () => {
  const monitor = vi.spyOn(perfHooks, "monitorEventLoopDelay");
  const registries = Array.from({ length: 3 }, () => measureRequests(Fastify()));
  expect(monitor.mock.calls.length).toBeLessThanOrEqual(1);
  for (const registry of registries)
    expect(await registry.metrics()).toMatch(
      /^process_cpu_seconds_total [\s\S]*http_request_duration_seconds/m,
    );
});

it("each service counts its own requests", async () => {
  const [first, second] = [Fastify(), Fastify()];
  const registries = [measureRequests(first), measureRequests(second)];
  await first.inject("/");
  const counts = await Promise.all(
    registries.map(async (registry) => (await registry.metrics()).includes('status="404"')),
  );
  expect(counts).toEqual([true, false]);
});
